@NullMarked
package dev.posthaste.examples.inbox;

import org.jspecify.annotations.NullMarked;
