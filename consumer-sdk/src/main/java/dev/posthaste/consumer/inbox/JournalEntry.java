package dev.posthaste.consumer.inbox;

import java.time.Instant;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

/**
 * What happened to a delivery that did not complete at once, or what was done to it.
 *
 * @param entry its number in the journal; later ones need not be higher
 * @param id of which delivery
 * @param attempt which attempt it is about
 * @param outcome {@code failed}, {@code dead-letter}, {@code completed}, {@code replayed}, {@code discarded} or
 *     {@code refused}
 * @param code the cause in one word; null for none
 * @param summary what happened, without payload; null for none
 * @param host on which machine
 * @param actor who did it; null for nobody
 * @param reason why; null where nobody did
 * @param replayId of which replay; null for none
 * @param at when, by the database's clock
 */
public record JournalEntry(
        long entry,
        DeliveryId id,
        int attempt,
        String outcome,
        @Nullable String code,
        @Nullable String summary,
        String host,
        @Nullable String actor,
        @Nullable String reason,
        @Nullable UUID replayId,
        Instant at) {}
