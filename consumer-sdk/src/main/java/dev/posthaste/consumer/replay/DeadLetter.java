package dev.posthaste.consumer.replay;

import java.time.Instant;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

/**
 * A dead letter as an operator sees it: without its payload and its key. Immutable.
 *
 * @param handler whose
 * @param tenant empty for none
 * @param messageId which message
 * @param stagedAt when it was staged
 * @param attempt how many attempts there were
 * @param code the cause in one word
 * @param summary what happened, without payload
 * @param firstSeenAt when it first came in
 * @param failedAt when the last attempt failed
 * @param topic where its record first lay
 * @param partition where its record first lay
 * @param offset where its record first lay
 * @param emittedAt when it was put on the dead-letter topic; null: not yet
 * @param emitError why that topic does not take it; null: nothing is known against it
 * @param place its place among the dead letters of its handler, by first failure; see {@link InboxDesk#list}
 */
public record DeadLetter(
        String handler,
        String tenant,
        UUID messageId,
        Instant stagedAt,
        int attempt,
        String code,
        String summary,
        Instant firstSeenAt,
        Instant failedAt,
        String topic,
        int partition,
        long offset,
        @Nullable Instant emittedAt,
        @Nullable String emitError,
        long place) {}
