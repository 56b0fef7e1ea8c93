/**
 * Side-by-side measurements of a relay process on the embedded stack. Absolute figures move from machine to machine and
 * from run to run; the ratios within one run are what counts.
 */
@NullMarked
package dev.posthaste.benchmarks;

import org.jspecify.annotations.NullMarked;
