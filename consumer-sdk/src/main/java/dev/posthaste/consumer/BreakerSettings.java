package dev.posthaste.consumer;

import java.time.Duration;

/**
 * When a handler pauses because everything it touches fails, and how it finds out that it may go on. Immutable.
 *
 * <p>While it pauses one record at a time is run as a probe, each time another one: a record whose probe failed makes
 * way, at no attempt, and comes back by the retry topic. The pause before a probe is random, up to 1 s at first and 1 s
 * more after each 100 probes. The first success ends it.
 *
 * @param messages so many different messages in a row must fail with one code, without a success between; one that has
 *     failed while so many others succeeded is poison, and counts no more; from 2 to 100,000, default 10
 * @param pauseMax longest pause between two probes; from 100 ms to 1 hour, default 30 s
 */
public record BreakerSettings(int messages, Duration pauseMax) {

    private static final int MESSAGES_MIN = 2;
    private static final int MESSAGES_MAX = 100_000;
    private static final Duration PAUSE_MIN = Duration.ofMillis(100);
    private static final Duration PAUSE_MAX = Duration.ofHours(1);

    /**
     * Checks both.
     *
     * @throws IllegalArgumentException naming the setting, its value and the rule
     */
    public BreakerSettings {
        if (messages < MESSAGES_MIN || messages > MESSAGES_MAX) {
            throw new IllegalArgumentException("breaker.messages is " + messages + ", but must be from " + MESSAGES_MIN
                    + " to " + MESSAGES_MAX + ": one that fails alone is poison, not an outage");
        }
        if (pauseMax.compareTo(PAUSE_MIN) < 0 || pauseMax.compareTo(PAUSE_MAX) > 0) {
            throw new IllegalArgumentException(
                    "breaker.pauseMax is " + pauseMax + ", but must be from " + PAUSE_MIN + " to " + PAUSE_MAX);
        }
    }

    /** What the parameters name as their defaults. */
    public static BreakerSettings defaults() {
        return new BreakerSettings(10, Duration.ofSeconds(30));
    }
}
