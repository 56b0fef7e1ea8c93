package dev.posthaste.relay.evidence;

import java.time.Instant;
import java.util.List;
import java.util.UUID;

import dev.posthaste.relay.source.Lsn;
import dev.posthaste.relay.source.OutboxRow;

/**
 * A batch that is committed in Kafka.
 *
 * @param batch its number, the position's
 * @param attempt which attempt to publish it was the one
 * @param position end of the last wholly published source transaction after it
 * @param catalogVersion by which it was routed, so that the handlers are known
 * @param messageIds in order of publishing; at least one
 * @param firstStaged earliest {@code created_at} among them
 * @param lastStaged latest {@code created_at} among them
 */
public record DispatchedBatch(
        long batch,
        int attempt,
        Lsn position,
        String catalogVersion,
        List<UUID> messageIds,
        Instant firstStaged,
        Instant lastStaged) {

    /** Makes the batch of its rows. */
    public static DispatchedBatch of(
            long batch, int attempt, Lsn position, String catalogVersion, List<OutboxRow> rows) {
        return new DispatchedBatch(
                batch,
                attempt,
                position,
                catalogVersion,
                rows.stream().map(OutboxRow::id).toList(),
                rows.stream().map(OutboxRow::createdAt).min(Instant::compareTo).orElseThrow(),
                rows.stream().map(OutboxRow::createdAt).max(Instant::compareTo).orElseThrow());
    }
}
