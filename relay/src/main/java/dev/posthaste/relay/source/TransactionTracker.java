package dev.posthaste.relay.source;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Finds the borders of transactions in a stream whose records tell only their own transaction and the end of the one
 * before.
 *
 * <p>A row of another transaction than the last row's begins one. The transaction in progress is over as soon as any
 * record tells a commit later than the one the transaction began after. Before the first COMMIT, everything that is not
 * resent ended at the slot's confirmed position, where the stream began. One tracker serves one stream from its start;
 * confined to its thread.
 */
final class TransactionTracker {

    private Lsn previousEnd;
    private @Nullable Long openXid;

    TransactionTracker(Lsn streamStart) {
        this.previousEnd = streamStart;
    }

    /** Adds what a record of any kind says about transactions that are over. */
    void lastCommit(@Nullable Lsn lastCommit, List<WalEvent> events) {
        if (lastCommit != null && previousEnd.isBefore(lastCommit)) {
            previousEnd = lastCommit;
            openXid = null;
            events.add(new WalEvent.TransactionsEnded(lastCommit));
        }
    }

    /** The end of the last transaction known to be over: all of its rows, and of those before it, were told. */
    Lsn lastEnd() {
        return previousEnd;
    }

    /** Adds a row, and the begin of its transaction if it is the first. */
    void row(long xid, OutboxRow row, List<WalEvent> events) {
        if (openXid == null || openXid != xid) {
            openXid = xid;
            events.add(new WalEvent.TransactionBegan(xid, previousEnd));
        }
        events.add(new WalEvent.RowInserted(row));
    }
}
