package dev.posthaste.consumer;

import java.time.Instant;
import java.util.UUID;

/**
 * A message whose handler has not come back for a long time. Others go on as long as there are threads. Immutable.
 *
 * @param handler whose
 * @param topic where its record lies
 * @param partition where its record lies
 * @param offset where its record lies
 * @param messageId which message; of a batch the first
 * @param attempt which attempt at it
 * @param since when the handler was called
 * @param givenUp whether a leased call's lease has ended: the attempt counts as failed, and its outcome is refused;
 *     false: it is still waited for
 */
public record HungDelivery(
        String handler,
        String topic,
        int partition,
        long offset,
        UUID messageId,
        int attempt,
        Instant since,
        boolean givenUp) {}
