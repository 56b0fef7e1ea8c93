package dev.posthaste.chaos.consumer;

import java.time.Duration;
import java.util.SplittableRandom;
import java.util.UUID;

/**
 * What handlers suffer, decided by seed, message and attempt alone: so a run can be repeated. Immutable.
 *
 * @param failShare of the attempts, that fail
 * @param poisonShare of the messages, that can never be handled and say so
 * @param slowShare of the attempts, that take {@code slow} longer
 */
record Trouble(long seed, double failShare, double poisonShare, double slowShare, Duration slow) {

    /** A message that no other attempt would mend. */
    static final class PoisonException extends RuntimeException {
        PoisonException() {
            super("it can never be handled, on purpose");
        }
    }

    /**
     * Before the effect.
     *
     * @throws PoisonException of a message that can never be handled
     * @throws IllegalStateException of an attempt that fails
     */
    void strike(String handler, UUID id, int attempt) throws InterruptedException {
        if (draw(handler + "/poison", id, 0) < poisonShare) {
            throw new PoisonException();
        }
        if (draw(handler + "/slow", id, attempt) < slowShare) {
            Thread.sleep(slow.toMillis());
        }
        if (draw(handler + "/fail", id, attempt) < failShare) {
            throw new IllegalStateException("it cannot be handled now, on purpose");
        }
    }

    /** Neighbouring seeds must not draw alike, or what fails once fails at every attempt: so it is not Random. */
    private double draw(String what, UUID id, int attempt) {
        long place = seed * 31 + what.hashCode();
        long message = id.getMostSignificantBits() ^ id.getLeastSignificantBits();
        return new SplittableRandom((place * 31 + message) * 31 + attempt).nextDouble();
    }
}
