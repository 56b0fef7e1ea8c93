package dev.posthaste.relay;

import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

import dev.posthaste.relay.evidence.DispatchedBatch;
import dev.posthaste.relay.evidence.EvidenceStore;
import dev.posthaste.relay.health.RelayMeters;
import dev.posthaste.relay.publishing.FencedException;
import dev.posthaste.relay.publishing.KafkaPublisher;
import dev.posthaste.relay.publishing.MessageTooLargeException;
import dev.posthaste.relay.publishing.Position;
import dev.posthaste.relay.publishing.PositionTracker;
import dev.posthaste.relay.routing.RoutedMessage;
import dev.posthaste.relay.routing.Router;
import dev.posthaste.relay.routing.UnroutableException;
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

    /** Publishes messages and the position after them, all or nothing: {@link KafkaPublisher#publish}. */
    @FunctionalInterface
    interface Publishing {
        void publish(List<RoutedMessage> messages, Position after) throws FencedException, InterruptedException;
    }

    /** Proves that a batch is published: {@link EvidenceStore#settle}. */
    @FunctionalInterface
    interface Proof {
        void settle(DispatchedBatch batch) throws FencedException, SQLException;
    }

    private final Router router;
    private final Publishing publishing;
    private final Proof proof;
    private final RelayMeters meters;
    private final RelaySettings.Bounds bounds;
    private final PositionTracker tracker;
    private final Backfill backfill;
    private final Attempts attempts;
    private final String catalogVersion;
    private final long fence;
    private final SlotGuard slotGuard;
    private Position position;
    private boolean slotChecked;

    Pipeline(
            Stages stages,
            RelaySettings.Bounds bounds,
            Start start,
            Attempts attempts,
            String catalogVersion,
            long fence,
            SlotGuard slotGuard) {
        this.router = stages.router();
        this.publishing = stages.publishing();
        this.proof = stages.proof();
        this.meters = stages.meters();
        this.bounds = bounds;
        this.position = start.position();
        this.tracker = new PositionTracker(start.position(), start.stream());
        this.backfill = new Backfill(start.position(), catalogVersion, start.settled());
        this.attempts = attempts;
        this.catalogVersion = catalogVersion;
        this.fence = fence;
        this.slotGuard = slotGuard;
    }

    /** The stages a batch goes through, in order. */
    record Stages(Router router, Publishing publishing, Proof proof, RelayMeters meters) {}

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
                batch = take(inserted.row(), batch);
            }
        }
        backfill.requireFound(tracker);
        if (backfill.isWaiting()) {
            return; // what would be acknowledged now would not be sent again, and its evidence be lost
        }
        if (!batch.isEmpty()) {
            settle(batch, walBatch.acknowledges());
        } else if (position.ack().isBefore(walBatch.acknowledges())) {
            movePosition(walBatch.acknowledges());
        }
        acknowledge(walBatch);
    }

    private Batch take(OutboxRow row, Batch batch) throws Exception {
        if (tracker.row() == PositionTracker.Verdict.SKIP) {
            Optional<DispatchedBatch> unproved = backfill.skipped(row, tracker);
            if (unproved.isPresent()) {
                proof.settle(unproved.get());
            }
            return batch;
        }
        backfill.requireFound(tracker);
        Batch open = batch;
        if (open.isFull()) {
            settle(open, position.ack());
            open = new Batch(bounds);
        }
        try {
            open.add(router.route(row), tracker);
        } catch (UnroutableException e) {
            // What came before it is fine and need not wait for a person.
            if (!open.isEmpty()) {
                settle(open, position.ack());
            }
            throw new HaltException(
                    HaltReason.Cause.MESSAGE_UNPUBLISHABLE,
                    e.reason(),
                    "the relay looks again every few seconds; it reads the catalog anew each time");
        }
        return open;
    }

    /** Publishes, then proves. */
    private void settle(Batch batch, Lsn ack)
            throws FencedException, HaltException, InterruptedException, SQLException {
        long started = System.nanoTime();
        Position after = batch.after(position, fence, ack);
        int attempt = attempts.next(after.batch());
        try {
            publishing.publish(batch.messages(), after);
        } catch (MessageTooLargeException e) {
            throw new HaltException(
                    HaltReason.Cause.MESSAGE_UNPUBLISHABLE,
                    String.valueOf(e.getMessage()),
                    "raise the topic's max.message.bytes; the relay tries again every few seconds");
        }
        position = after;
        proof.settle(DispatchedBatch.of(after.batch(), attempt, after.lastCommit(), catalogVersion, batch.rows()));
        meters.batchSettled(batch.messages(), System.nanoTime() - started);
    }

    /** Nothing to publish, but the slot is to move: the position must know before. */
    private void movePosition(Lsn ack) throws FencedException, InterruptedException {
        Position after = position.movedTo(tracker.lastCommit(), tracker.inProgress(), fence, ack);
        publishing.publish(List.of(), after);
        position = after;
    }

    private void acknowledge(WalBatch walBatch) throws Exception {
        if (position.ack().isBefore(walBatch.acknowledges())) {
            throw new IllegalStateException("the slot was about to move to " + walBatch.acknowledges()
                    + ", beyond the position's " + position.ack() + "; this is a fault of the relay");
        }
        walBatch.acknowledge();
    }
}
