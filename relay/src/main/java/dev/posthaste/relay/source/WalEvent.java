package dev.posthaste.relay.source;

/** What the WAL tells about the outbox, in commit order of the transactions and in order of the rows within each. */
public sealed interface WalEvent {

    /**
     * A transaction with outbox rows begins.
     *
     * @param xid its 32-bit id, which wraps: compare it within the transaction in progress only
     * @param previousEnd every transaction before it in the stream ended at or before this place
     */
    record TransactionBegan(long xid, Lsn previousEnd) implements WalEvent {}

    /** The next row of the transaction in progress. */
    record RowInserted(OutboxRow row) implements WalEvent {}

    /**
     * The transaction in progress, if any, is over, and so is every other that ended at or before this place. It comes
     * with the next sign of life after the commit, not with the commit itself.
     */
    record TransactionsEnded(Lsn end) implements WalEvent {}
}
