/** The load of a run: transactions that stage messages, and the history of what was asked for and answered. */
@NullMarked
package dev.posthaste.chaos.load;

import org.jspecify.annotations.NullMarked;
