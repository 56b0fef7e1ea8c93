package dev.posthaste.consumer;

import java.time.Duration;
import java.util.random.RandomGenerator;

import dev.posthaste.schemas.catalog.DurableDelivery;

/**
 * When a failed attempt is repeated, and until when: bounded exponential backoff with full jitter (provision S1 22).
 * Immutable.
 *
 * @param attempts how often a message is tried in all, the first time included: 4 are three retries; from 1
 * @param first bound of the first delay; at least 1 ms
 * @param max bound of every delay; at least {@code first}
 * @param horizon how long after the first attempt the last one may come; at least {@code max}
 */
public record RetryPolicy(int attempts, Duration first, Duration max, Duration horizon) {

    private static final int DOUBLINGS_MAX = 20;

    /**
     * Checks the bounds against each other.
     *
     * @throws IllegalArgumentException naming both values
     */
    public RetryPolicy {
        if (attempts < 1) {
            throw new IllegalArgumentException("attempts is " + attempts + ", but must be at least 1");
        }
        if (first.toMillis() < 1) {
            throw new IllegalArgumentException("first is " + first + ", but must be at least 1 ms");
        }
        notLonger("first", first, "max", max);
        notLonger("max", max, "horizon", horizon);
    }

    private static void notLonger(String name, Duration value, String boundName, Duration bound) {
        if (value.compareTo(bound) > 0) {
            throw new IllegalArgumentException(
                    name + " is " + value + ", longer than " + boundName + ", " + bound + "; make it at most that");
        }
    }

    /** The policy of a handler's catalog record. */
    public static RetryPolicy of(DurableDelivery.Retry retry) {
        return new RetryPolicy(retry.attempts(), retry.first(), retry.max(), retry.horizon());
    }

    /**
     * A delay before the next attempt, drawn anew for each message so that those that failed together do not come back
     * together.
     *
     * @param failed how many attempts have failed, from 1
     * @return from 1 ms to the bound
     */
    public Duration delay(int failed, RandomGenerator random) {
        long doubled = first.toMillis() << Math.min(failed - 1, DOUBLINGS_MAX);
        long bound = doubled <= 0 ? max.toMillis() : Math.min(doubled, max.toMillis());
        return Duration.ofMillis(1 + random.nextLong(Math.max(bound, 1)));
    }

    /** Whether this one allows no more than the other: neither more attempts nor any longer time. */
    public boolean isWithin(RetryPolicy other) {
        return attempts <= other.attempts
                && first.compareTo(other.first) <= 0
                && max.compareTo(other.max) <= 0
                && horizon.compareTo(other.horizon) <= 0;
    }
}
