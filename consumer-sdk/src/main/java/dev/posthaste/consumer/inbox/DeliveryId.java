package dev.posthaste.consumer.inbox;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.UUID;

/**
 * Which message, for the handler whose inbox it is. No redelivery, retry or replay changes it. Immutable.
 *
 * @param tenant empty for none
 * @param messageId the message's id; for a record that is no message, made from where it lies
 * @param stagedAt when it was staged, to the microsecond, which is what stores keep; for a record that is no message,
 *     1970
 */
public record DeliveryId(String tenant, UUID messageId, Instant stagedAt) {

    /** Drops what is finer: drivers and databases round it each in its own way, and half of one would be another's. */
    public DeliveryId {
        stagedAt = stagedAt.truncatedTo(ChronoUnit.MICROS);
    }
}
