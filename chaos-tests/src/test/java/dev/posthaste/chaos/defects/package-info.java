/** Posthaste broken on purpose, and found broken by the scenario that is meant to find it. */
@NullMarked
package dev.posthaste.chaos.defects;

import org.jspecify.annotations.NullMarked;
