package dev.posthaste.relay;

import java.sql.SQLException;
import java.util.Optional;

import dev.posthaste.relay.evidence.DispatchedBatch;
import dev.posthaste.relay.lease.FencedException;
import dev.posthaste.relay.publishing.Position;
import dev.posthaste.relay.publishing.PositionTracker;
import dev.posthaste.relay.source.Lsn;
import dev.posthaste.relay.source.OutboxRow;
import dev.posthaste.relay.source.WalBatch;
import dev.posthaste.relay.source.WalEvent;
import dev.posthaste.relay.source.WalListener;

/**
 * What happens to a batch of the source: its new rows are routed, published in one Kafka transaction with the position
 * after them, proved by evidence, and acknowledged, in this order. Nothing is caught here: the first failure ends the
 * term, and the next one begins with what the position says. Confined to the source's thread.
 */
final class Pipeline implements WalListener {

    /**
     * Looks whether the slot still stands where it was read; asked once, before the first batch is touched. Had the
     * slot gone meanwhile, the engine would have made a new one, and a position published from it would hide the gap.
     */
    @FunctionalInterface
    interface SlotGuard {
        void check() throws HaltException, FencedException, SQLException;
    }

    private final Dispatch dispatch;
    private final RelaySettings.Bounds bounds;
    private final PositionTracker tracker;
    private final Backfill backfill;
    private final long fence;
    private final SlotGuard slotGuard;
    private final Ledger ledger = new Ledger();
    private Position position;
    private boolean slotChecked;

    Pipeline(Dispatch dispatch, RelaySettings.Bounds bounds, Start start, long fence, SlotGuard slotGuard) {
        this.dispatch = dispatch;
        this.bounds = bounds;
        this.position = start.position();
        this.tracker = new PositionTracker(start.position(), start.stream());
        this.backfill = new Backfill(start.position(), dispatch.catalogVersion(), start.settled());
        this.fence = fence;
        this.slotGuard = slotGuard;
    }

    /**
     * What was read when the term began.
     *
     * @param position how far the outbox is published
     * @param stream where the slot stands, and the stream begins
     * @param settled whether the position's batch has its evidence
     */
    record Start(Position position, Lsn stream, boolean settled) {}

    @Override
    public void onBatch(WalBatch walBatch) throws Exception {
        if (!slotChecked) {
            slotGuard.check();
            slotChecked = true;
        }
        Batch batch = new Batch(bounds);
        for (WalEvent event : walBatch.events()) {
            if (event instanceof WalEvent.TransactionBegan began) {
                tracker.began(began);
            } else if (event instanceof WalEvent.TransactionsEnded ended) {
                tracker.ended(ended);
            } else if (event instanceof WalEvent.RowInserted inserted) {
                ledger.taken();
                batch = take(inserted.row(), batch);
            }
        }
        backfill.requireFound(tracker);
        if (backfill.isWaiting()) {
            return; // what would be acknowledged now would not be sent again, and its evidence be lost
        }
        ledger.requireTold(walBatch.acknowledges(), tracker);
        if (!batch.isEmpty()) {
            settle(batch, walBatch.acknowledges());
        } else if (position.ack().isBefore(walBatch.acknowledges())) {
            movePosition(walBatch.acknowledges());
        }
        ledger.requireCovered(walBatch.acknowledges(), position);
        walBatch.acknowledge();
    }

    private Batch take(OutboxRow row, Batch batch) throws Exception {
        if (tracker.row() == PositionTracker.Verdict.SKIP) {
            requireSame(row);
            Optional<DispatchedBatch> unproved = backfill.skipped(row, tracker);
            if (unproved.isPresent()) {
                dispatch.prove(unproved.get());
            }
            ledger.settled(1);
            return batch;
        }
        backfill.requireFound(tracker);
        Batch open = batch;
        if (open.isFull()) {
            settle(open, position.ack());
            open = new Batch(bounds);
        }
        open.add(dispatch.route(row), tracker);
        return open;
    }

    /** The row that the position counts as its last must be the one published last, or another history is streamed. */
    private void requireSame(OutboxRow row) throws HaltException {
        if (tracker.skippedLastPublishedRow() && !row.id().equals(position.lastMessageId())) {
            throw new HaltException(
                    HaltReason.Cause.DATABASE_OLDER_THAN_POSITION,
                    "message " + position.lastMessageId() + " was published last, but in its place the database has "
                            + row.id(),
                    Gap.RESTORED);
        }
    }

    private void settle(Batch batch, Lsn ack) throws FencedException, InterruptedException, SQLException {
        Position after = dispatch.settle(batch, batch.after(position, fence, ack));
        ledger.settled(batch.messages().size());
        position = after;
    }

    /** Nothing to publish, but the slot is to move: the position must know before. */
    private void movePosition(Lsn ack) throws FencedException, InterruptedException {
        Position after = position.acknowledging(fence, ack);
        dispatch.move(after);
        position = after;
    }
}
