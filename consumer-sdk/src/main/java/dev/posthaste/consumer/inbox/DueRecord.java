package dev.posthaste.consumer.inbox;

import java.time.OffsetDateTime;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

/**
 * A record to be emitted now.
 *
 * @param id of which delivery
 * @param place its order among the waiting
 * @param takenUntil until when it is ours; tells whether the row has changed since
 * @param attempt attempts spent so far
 * @param failures how often it could not be emitted
 * @param code why it is a dead letter; null for a retry that has none
 * @param summary of the last error; null for none
 * @param topic where the record first lay
 * @param partition where the record first lay
 * @param offset where the record first lay
 * @param replayId the replay that has brought it back last; null for none
 * @param record the record as it came
 * @param lastTrace the span of the last attempt; null for none
 */
public record DueRecord(
        DeliveryId id,
        long place,
        OffsetDateTime takenUntil,
        int attempt,
        int failures,
        @Nullable String code,
        @Nullable String summary,
        String topic,
        int partition,
        long offset,
        @Nullable UUID replayId,
        StoredRecord record,
        @Nullable String lastTrace) {}
