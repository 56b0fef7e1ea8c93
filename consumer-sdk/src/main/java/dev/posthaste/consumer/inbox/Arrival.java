package dev.posthaste.consumer.inbox;

import org.jspecify.annotations.Nullable;

/**
 * A record that has come in for a delivery. The same one may come again, and a retry may come before its stale twin:
 * what to do with it is for {@link InboxStore#claim} to say. Immutable.
 *
 * @param id which message
 * @param attempt the attempt it asks for, from 1
 * @param released whether an operator has released the message at the relay: then it runs though it is a dead letter
 * @param orderingKey what orders it, where its handler promises order per key; else null
 * @param topic where the record lies
 * @param partition where the record lies
 * @param offset where the record lies; tells the arrivals of one call apart
 */
@SuppressWarnings("ArrayRecordComponent") // compared by nobody; the key goes to the database as it is
public record Arrival(
        DeliveryId id,
        int attempt,
        boolean released,
        byte @Nullable [] orderingKey,
        String topic,
        int partition,
        long offset) {}
