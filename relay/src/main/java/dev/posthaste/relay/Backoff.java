package dev.posthaste.relay;

import java.time.Duration;
import java.util.function.DoubleSupplier;

/** Bounded exponential backoff with full jitter, while a store is away (provision S1 25). Not thread-safe. */
final class Backoff {

    private static final int DOUBLINGS_MAX = 16;

    private final Duration first;
    private final Duration max;
    private final DoubleSupplier random;
    private int failures;

    /**
     * Begins at the first delay.
     *
     * @param random draws from 0 to 1
     */
    Backoff(Duration first, Duration max, DoubleSupplier random) {
        this.first = first;
        this.max = max;
        this.random = random;
    }

    /** The next delay: drawn between half and all of the bound, which doubles with every failure. */
    Duration next() {
        long bound = Math.min(max.toMillis(), first.toMillis() << Math.min(failures, DOUBLINGS_MAX));
        failures++;
        return Duration.ofMillis(bound / 2 + (long) (random.getAsDouble() * bound / 2));
    }

    /** Begins again. */
    void reset() {
        failures = 0;
    }
}
