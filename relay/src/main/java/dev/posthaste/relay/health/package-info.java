/** What the relay tells the outside: live, ready, metrics. */
@NullMarked
package dev.posthaste.relay.health;

import org.jspecify.annotations.NullMarked;
