package dev.posthaste.consumer.replay;

import java.time.Instant;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

/**
 * Something that happened to a message with one handler. Immutable.
 *
 * @param handler which
 * @param attempt the attempt it is about
 * @param outcome "failed", "dead-letter", "completed", "replayed", "discarded" or "refused"
 * @param code the cause of the failure in one word; null for none
 * @param summary of the failure, without payload; null for none
 * @param host on which machine
 * @param actor who did it; null: the consumer itself
 * @param reason why they did it; null: the consumer itself
 * @param replayId the replay it belongs to; null for none
 * @param at when, on the inbox database's clock
 */
public record JournalEntry(
        String handler,
        int attempt,
        String outcome,
        @Nullable String code,
        @Nullable String summary,
        String host,
        @Nullable String actor,
        @Nullable String reason,
        @Nullable UUID replayId,
        Instant at) {}
