/** Who leads: a row on the database's clock, an advisory lock, and a fence that grows with every leader. */
@NullMarked
package dev.posthaste.relay.lease;

import org.jspecify.annotations.NullMarked;
