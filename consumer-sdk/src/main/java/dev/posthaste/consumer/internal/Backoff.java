package dev.posthaste.consumer.internal;

import java.time.Duration;
import java.util.random.RandomGenerator;

/**
 * Bounded exponential backoff with full jitter.
 *
 * @param first bound of the first delay
 * @param max bound of every delay
 */
record Backoff(Duration first, Duration max) {

    private static final int DOUBLINGS_MAX = 20;

    /** A random delay for the given attempt, counted from 1; at least 1 ms. */
    Duration delay(int attempt, RandomGenerator random) {
        long bound = Math.min(first.toMillis() << Math.min(attempt - 1, DOUBLINGS_MAX), max.toMillis());
        return Duration.ofMillis(1 + random.nextLong(Math.max(bound, 1)));
    }
}
