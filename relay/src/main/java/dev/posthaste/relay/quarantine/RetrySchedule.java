package dev.posthaste.relay.quarantine;

import java.time.Duration;
import java.util.Optional;

/**
 * When a message is tried again whose cause may pass by itself: bounded exponential backoff with jitter (provision S1
 * 22).
 *
 * @param first the bound of the first pause, which doubles with every attempt
 * @param max most it grows to
 * @param attempts after so many it is left to an operator; the one that set the message aside counts
 */
public record RetrySchedule(Duration first, Duration max, int attempts) {

    /** Over about an hour and a half: a topic that is made, a limit that is raised, a catalog that is late. */
    public static final RetrySchedule DEFAULT = new RetrySchedule(Duration.ofSeconds(10), Duration.ofMinutes(15), 12);

    private static final int DOUBLINGS_MAX = 16;

    /** Checks that it goes on and ends. */
    public RetrySchedule {
        if (first.toMillis() < 1 || max.compareTo(first) < 0 || attempts < 1) {
            throw new IllegalArgumentException("retries begin after " + first.toMillis() + " ms, pause at most "
                    + max.toMillis() + " ms and end after " + attempts
                    + " attempts, but the first must be 1 ms or more, the second no less, and the third at least 1");
        }
    }

    /**
     * The pause after an attempt that failed; empty: it was the last.
     *
     * @param attempt how often it was tried by now
     * @param random from 0 to 1; the pause is between half and all of its bound
     */
    public Optional<Duration> after(int attempt, double random) {
        if (attempt >= attempts) {
            return Optional.empty();
        }
        long bound = Math.min(max.toMillis(), first.toMillis() << Math.min(Math.max(attempt - 1, 0), DOUBLINGS_MAX));
        return Optional.of(Duration.ofMillis(bound - (long) (random * bound / 2)));
    }
}
