package dev.posthaste.relay.publishing;

import org.jspecify.annotations.Nullable;

import dev.posthaste.relay.source.Lsn;
import dev.posthaste.relay.source.WalEvent;

/**
 * Follows the stream from a restart on and tells which rows are published already, and what the position is after each.
 *
 * <p>PostgreSQL sends transactions in commit order, and one that was not acknowledged wholly from its beginning. So:
 * skip every transaction that began after an end before the position's last commit; of the position's transaction in
 * progress skip the first rows, by count; from the first other row on the filter is off. Places of single rows are
 * never compared: they are neither unique nor monotonic. Confined to the source's thread.
 */
public final class PositionTracker {

    /** What to do with a row. */
    public enum Verdict {
        /** It is not published yet. */
        PUBLISH,
        /** It was published before the restart. */
        SKIP
    }

    private final Position published;
    private boolean filtering;
    private Lsn lastCommit;
    private @Nullable Long openXid;
    private long rows;
    private long rowsToSkip;

    /**
     * Starts at a position read from Kafka.
     *
     * @param streamStart where the slot stood when the stream began. If that is after the position's last commit, so is
     *     the end of the transaction in progress, and nothing published is sent again: an equal id is another
     *     transaction's, ids having wrapped
     */
    public PositionTracker(Position published, Lsn streamStart) {
        this.published = published;
        this.lastCommit = published.lastCommit().max(streamStart);
        this.filtering = !published.lastCommit().isBefore(streamStart);
    }

    /** Takes note of a transaction's begin. */
    public void began(WalEvent.TransactionBegan event) {
        openXid = event.xid();
        rows = 0;
        lastCommit = lastCommit.max(event.previousEnd());
        rowsToSkip = filtering ? publishedRows(event) : 0;
    }

    private long publishedRows(WalEvent.TransactionBegan event) {
        Position.InProgress inProgress = published.inProgress();
        if (event.previousEnd().isBefore(published.lastCommit())) {
            return Long.MAX_VALUE;
        }
        // The id wraps. But this is the first transaction after the last commit, since the end of any other would have
        // been told before the next began and ended the filter; so it can only be the one in progress.
        return inProgress != null && inProgress.xid() == event.xid() ? inProgress.rows() : 0;
    }

    /** Counts a row of the transaction in progress. */
    public Verdict row() {
        rows++;
        if (rows <= rowsToSkip) {
            return Verdict.SKIP;
        }
        filtering = false;
        return Verdict.PUBLISH;
    }

    /** Takes note that everything up to a place is over. */
    public void ended(WalEvent.TransactionsEnded event) {
        lastCommit = lastCommit.max(event.end());
        openXid = null;
        // Whatever a stream tells before the position's transaction, it told before it the first time as well, and the
        // position's last commit is at or after that. So a later end says that its transaction is over, too.
        if (published.lastCommit().isBefore(event.end())) {
            filtering = false;
        }
    }

    /** Whether rows may still be skipped. */
    public boolean isFiltering() {
        return filtering;
    }

    /** Whether the row counted last was the last one the position covers. */
    public boolean skippedLastPublishedRow() {
        Position.InProgress inProgress = published.inProgress();
        return filtering && inProgress != null && rowsToSkip == inProgress.rows() && rows == rowsToSkip;
    }

    /**
     * The position's place after what was counted so far, once the rows told to be published are: every transaction
     * that ended at or before it is wholly published.
     */
    public Lsn lastCommit() {
        return filtering ? published.lastCommit() : lastCommit;
    }

    /**
     * The transaction in progress and how many of its rows are published, once the rows told to be published are; null:
     * none.
     */
    public Position.@Nullable InProgress inProgress() {
        if (filtering) {
            return published.inProgress();
        }
        return openXid == null ? null : new Position.InProgress(openXid, rows);
    }
}
