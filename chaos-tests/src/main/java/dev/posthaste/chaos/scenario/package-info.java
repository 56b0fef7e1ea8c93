/** Scenarios: how something goes wrong, what must hold all the same, and the supervisor that runs them. */
@NullMarked
package dev.posthaste.chaos.scenario;

import org.jspecify.annotations.NullMarked;
