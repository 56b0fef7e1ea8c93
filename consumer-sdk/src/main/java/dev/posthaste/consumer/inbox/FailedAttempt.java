package dev.posthaste.consumer.inbox;

import org.jspecify.annotations.Nullable;

/**
 * An attempt that failed, as it is written down.
 *
 * @param arrival what was run
 * @param attempt which attempt it was; 0 for a message that is kept without having been run
 * @param forgiven attempts that count no more
 * @param fate what becomes of the delivery
 * @param code the cause in one word
 * @param summary what happened, without payload; printable whatever it was made of
 * @param blocks whether later messages of its key wait behind it from now on
 * @param record the record as it came
 * @param lease the claim under which it ran; null for a transactional handler
 */
public record FailedAttempt(
        Arrival arrival,
        int attempt,
        int forgiven,
        Fate fate,
        String code,
        String summary,
        boolean blocks,
        StoredRecord record,
        @Nullable ClaimLease lease) {
    /** Makes the summary printable: it goes to the log, two tables and a header. */
    public FailedAttempt {
        summary = Printable.of(summary);
    }
}
