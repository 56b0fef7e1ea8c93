package dev.posthaste.relay.source;

import java.time.Duration;
import java.util.Objects;

/**
 * How the WAL is read.
 *
 * @param database where
 * @param slot replication slot, made beforehand
 * @param publication publication, made beforehand
 * @param batchRows most records handed over at a time
 * @param queueRows most records waiting in memory
 * @param queueBytes most bytes waiting in memory, about
 * @param poll how long the reader waits for more records; latency against idle CPU
 * @param heartbeat how often a sign of life is written to the WAL, so that the slot follows a busy database with an
 *     idle outbox
 */
public record SourceSettings(
        DatabaseSettings database,
        String slot,
        String publication,
        int batchRows,
        int queueRows,
        long queueBytes,
        Duration poll,
        Duration heartbeat) {

    /** Checks the bounds against each other. */
    public SourceSettings {
        Objects.requireNonNull(database);
        if (batchRows < 1 || batchRows >= queueRows) {
            throw new IllegalArgumentException("batch.messages is " + batchRows + " and queue.messages is " + queueRows
                    + ", but the batch must have at least 1 message and be smaller than the queue");
        }
    }
}
