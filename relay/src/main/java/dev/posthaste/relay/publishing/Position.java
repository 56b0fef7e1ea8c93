package dev.posthaste.relay.publishing;

import java.util.UUID;

import org.jspecify.annotations.Nullable;

import dev.posthaste.relay.source.Lsn;
import dev.posthaste.relay.source.SourceDatabase;

/**
 * How far the outbox is published: written in the Kafka transaction of each batch, and the truth after any crash.
 * Immutable.
 *
 * @param source the database it is a position in
 * @param fence of the leader that wrote it
 * @param batch number of the last batch with messages; 0 before the first
 * @param batchMessages how many messages that batch had
 * @param lastCommit every source transaction that ended at or before this place is wholly published
 * @param inProgress the transaction of the message published last, which ended after {@code lastCommit}; null: nothing
 *     was published since the slot was made, at {@code lastCommit}
 * @param ack highest place up to which the slot may have been moved; a slot beyond it has a gap
 * @param lastMessageId the message published last; null before the first
 * @param withheld whether a copy of a message of that batch was quarantined instead of published
 */
public record Position(
        SourceDatabase.Identity source,
        long fence,
        long batch,
        int batchMessages,
        Lsn lastCommit,
        @Nullable InProgress inProgress,
        Lsn ack,
        @Nullable UUID lastMessageId,
        boolean withheld) {

    /**
     * A transaction of which some rows are published.
     *
     * @param xid its 32-bit id
     * @param rows how many of its outbox rows are published, from its first
     */
    public record InProgress(long xid, long rows) {}

    /** The position before the first batch: all that the slot will not send is taken as not ours. */
    public static Position first(SourceDatabase.Identity source, Lsn slotConfirmed) {
        return new Position(source, 0, 0, 0, slotConfirmed, null, slotConfirmed, null, false);
    }

    /**
     * Nothing more is published, but the slot is about to move up to {@code ack}. The place stays that of the message
     * published last: a database that has that message has all of the WAL up to there, so that nothing in it can lie
     * below the place and not be published.
     */
    public Position acknowledging(long fence, Lsn ack) {
        return new Position(
                source,
                fence,
                batch,
                batchMessages,
                lastCommit,
                inProgress,
                this.ack.max(ack),
                lastMessageId,
                withheld);
    }

    /**
     * The same in a database that was promoted from a copy of this one.
     *
     * @param promoted that database
     * @param end where the position's timeline ended, which the slot there cannot be beyond without a gap
     */
    public Position promoted(SourceDatabase.Identity promoted, Lsn end) {
        return new Position(
                promoted,
                fence,
                batch,
                batchMessages,
                lastCommit,
                inProgress,
                end.isBefore(ack) ? end : ack,
                lastMessageId,
                withheld);
    }

    /** The same, where a copy of the batch is quarantined instead of published. */
    public Position withholding() {
        return new Position(source, fence, batch, batchMessages, lastCommit, inProgress, ack, lastMessageId, true);
    }

    /** The same place, where the batches up to that number are known to be proved. */
    public Position afterBatch(long proved) {
        return new Position(source, fence, proved, 0, lastCommit, inProgress, ack, lastMessageId, false);
    }

    /**
     * After one batch more that a repair published. It has no place, and no slot may stand where it allows, so that a
     * repair that dies leaves a gap, whatever was wrong before.
     */
    public Position withRepairedBatch(long fence, int messages, UUID lastMessageId) {
        return new Position(source, fence, batch + 1, messages, Lsn.NONE, null, Lsn.NONE, lastMessageId, false);
    }
}
