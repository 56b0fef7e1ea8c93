package dev.posthaste.consumer.internal;

import java.time.Instant;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

import dev.posthaste.consumer.StopReason;
import dev.posthaste.consumer.inbox.Printable;

/**
 * How a chunk ended: so many of its first records are finished, and why no more.
 *
 * @param finished number of records, from the first
 * @param begun how many of them were begun in a transaction of their own
 * @param ending what comes next
 */
record ChunkResult(int finished, int begun, Ending ending) {

    /** None was begun in a transaction of its own. */
    ChunkResult(int finished, Ending ending) {
        this(finished, 0, ending);
    }

    /**
     * What a failure of the store means: another member's transaction holds the record's row, the store will never take
     * what is to be written of this record, or it is away.
     */
    static Ending away(UUID messageId, Throwable cause) {
        if (SqlErrors.isContention(cause)) {
            return new Busy(messageId, "another transaction", null);
        }
        return SqlErrors.isRefusal(cause) ? new Failed(refused(messageId, cause)) : new StoreAway(cause);
    }

    /** An outage would stop all handlers, and never end. */
    private static Failure refused(UUID messageId, Throwable cause) {
        return new Failure(
                messageId,
                StopReason.INBOX_REFUSED,
                cause.getClass().getName(),
                "the inbox's database refuses what is to be written of it: "
                        + String.valueOf(cause.getMessage())
                                .lines()
                                .findFirst()
                                .orElse("")); // then come values of rows
    }

    /** What comes next for the lane. */
    sealed interface Ending {}

    /** Go on. */
    record Done() implements Ending {}

    /** Try the same records again once the store is back. */
    record StoreAway(Throwable cause) implements Ending {}

    /** The time of a drain is over: nothing more. */
    record Abandoned() implements Ending {}

    /** The handler's breaker is open: the same records again when it permits. */
    record Paused() implements Ending {}

    /** Another worker has the next record in hand, until then at most where that is known; try again. */
    record Busy(UUID messageId, String owner, @Nullable Instant until) implements Ending {}

    /** The next record has cost its connection, while the database is there; try again. */
    record Lost() implements Ending {}

    /** As many messages wait for the next record's key as may; try again, and say so meanwhile. */
    record Full(UUID messageId) implements Ending {}

    /** The next record cannot be finished. */
    record Failed(Failure failure) implements Ending {}

    /**
     * What is told of a record that cannot be finished.
     *
     * @param messageId null where it cannot be read
     * @param errorClass null where there is no error
     * @param summary without payload
     */
    record Failure(
            @Nullable UUID messageId,
            StopReason reason,
            @Nullable String errorClass,
            String summary) {
        /** Makes the summary printable: it goes to the log. */
        Failure {
            summary = Printable.of(summary);
        }
    }
}
