/** Judges a run by its history alone: every invariant is looked at by one check, and none of them asks anybody. */
@NullMarked
package dev.posthaste.chaos.check;

import org.jspecify.annotations.NullMarked;
