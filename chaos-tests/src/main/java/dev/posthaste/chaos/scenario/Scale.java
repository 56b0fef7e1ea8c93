package dev.posthaste.chaos.scenario;

import java.time.Duration;

/**
 * How long things last.
 *
 * @param steady load before anything is broken
 * @param healed load after everything is mended
 * @param drainBound how long what is left may stay the same at the end
 * @param full whether long waits have their full length
 * @param random how long scenarios that break things at random go on
 */
public record Scale(Duration steady, Duration healed, Duration drainBound, boolean full, Duration random) {

    /** For every change: a scenario takes about a minute. */
    public static Scale quick() {
        return new Scale(
                Duration.ofSeconds(3), Duration.ofSeconds(4), Duration.ofSeconds(90), false, Duration.ofSeconds(20));
    }

    /** For every night. */
    public static Scale nightly() {
        return new Scale(
                Duration.ofSeconds(5), Duration.ofSeconds(8), Duration.ofMinutes(4), true, Duration.ofSeconds(60));
    }

    /** With another time for what is random. */
    public Scale withRandom(Duration time) {
        return new Scale(steady, healed, drainBound, full, time);
    }

    /** One of two lengths. */
    public Duration of(Duration quickly, Duration fully) {
        return full ? fully : quickly;
    }
}
