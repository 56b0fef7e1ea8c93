package dev.posthaste.relay.health;

import java.util.Map;

/**
 * What the database says of the outbox, read by the leader every few seconds.
 *
 * @param pending messages committed and without evidence
 * @param oldestPendingSeconds age of the oldest of them by the database's clock; 0 if there is none
 * @param quarantined open quarantines by handler
 * @param slotLagBytes WAL between what is acknowledged and the newest
 * @param slotRetainedBytes WAL that the slot holds back
 */
public record OutboxFigures(
        long pending,
        double oldestPendingSeconds,
        Map<String, Long> quarantined,
        long slotLagBytes,
        long slotRetainedBytes) {

    /** Copies the counts. */
    public OutboxFigures {
        quarantined = Map.copyOf(quarantined);
    }
}
