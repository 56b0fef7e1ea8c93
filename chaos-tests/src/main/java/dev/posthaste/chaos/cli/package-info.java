/** {@code posthaste chaos}. */
@NullMarked
package dev.posthaste.chaos.cli;

import org.jspecify.annotations.NullMarked;
