package dev.posthaste.relay.health;

import java.util.Map;

/**
 * What the database says of the outbox, read by the leader every few seconds.
 *
 * @param pending what waits: committed and without evidence
 * @param pendingByHandler the same for each handler of the catalog, by the types it reads
 * @param failedByHandler open quarantines by handler
 * @param failed open quarantines that the relay tries again by itself
 * @param deadLetters open quarantines that wait for an operator
 * @param slotLagBytes WAL between what is acknowledged and the newest
 * @param slotLagSeconds how long ago the oldest of it was written
 * @param slotRetainedBytes WAL that the slot holds back
 */
public record OutboxFigures(
        Pending pending,
        Map<String, Pending> pendingByHandler,
        Map<String, Long> failedByHandler,
        long failed,
        long deadLetters,
        long slotLagBytes,
        double slotLagSeconds,
        long slotRetainedBytes) {

    /** Copies the maps. */
    public OutboxFigures {
        pendingByHandler = Map.copyOf(pendingByHandler);
        failedByHandler = Map.copyOf(failedByHandler);
    }

    /**
     * What waits.
     *
     * @param messages how many
     * @param oldestSeconds age of the oldest by the database's clock; 0 if there is none
     */
    public record Pending(long messages, double oldestSeconds) {

        /** Nothing. */
        public static final Pending NONE = new Pending(0, 0);

        /** Both together. */
        public Pending and(Pending other) {
            return new Pending(messages + other.messages, Math.max(oldestSeconds, other.oldestSeconds));
        }
    }
}
