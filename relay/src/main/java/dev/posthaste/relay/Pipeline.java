package dev.posthaste.relay;

import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.posthaste.relay.evidence.DispatchedBatch;
import dev.posthaste.relay.evidence.EvidenceStore;
import dev.posthaste.relay.health.RelayMeters;
import dev.posthaste.relay.lease.FencedException;
import dev.posthaste.relay.publishing.KafkaPublisher;
import dev.posthaste.relay.publishing.Position;
import dev.posthaste.relay.publishing.PositionTracker;
import dev.posthaste.relay.publishing.RefusedException;
import dev.posthaste.relay.quarantine.QuarantineStore;
import dev.posthaste.relay.routing.RoutedMessage;
import dev.posthaste.relay.routing.Router;
import dev.posthaste.relay.routing.Unpublishable;
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

    private static final Logger log = LoggerFactory.getLogger(Pipeline.class);

    /** Looks whether the slot still stands where it was read; asked once, before the first acknowledgement. */
    @FunctionalInterface
    interface SlotGuard {
        void check() throws HaltException, FencedException, SQLException;
    }

    /** Publishes messages and the position after them, all or nothing: {@link KafkaPublisher#publish}. */
    @FunctionalInterface
    interface Publishing {
        void publish(List<RoutedMessage> messages, Position after)
                throws RefusedException, FencedException, InterruptedException;
    }

    /** Proves that a batch is published: {@link EvidenceStore#settle}. */
    @FunctionalInterface
    interface Proof {
        void settle(DispatchedBatch batch) throws FencedException, SQLException;
    }

    /** Sets a message aside for a handler: {@link QuarantineStore#record}. */
    @FunctionalInterface
    interface SettingAside {
        void record(Unpublishable fault, Instant createdAt) throws FencedException, SQLException;
    }

    private final Router router;
    private final SettingAside quarantine;
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
    private final Set<QuarantineStore.Entry> unproved;
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
        this.quarantine = stages.quarantine();
        this.unproved = start.unproved();
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
    record Stages(Router router, SettingAside quarantine, Publishing publishing, Proof proof, RelayMeters meters) {}

    /**
     * What was read when the term began.
     *
     * @param position how far the outbox is published
     * @param stream where the slot stands, and the stream begins
     * @param settled whether the position's batch has its evidence
     * @param unproved what is quarantined already of messages that are not proved yet
     */
    record Start(Position position, Lsn stream, boolean settled, Set<QuarantineStore.Entry> unproved) {}

    @Override
    public void onBatch(WalBatch walBatch) throws Exception {
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
        open.add(route(row), tracker);
        return open;
    }

    /** Routes, and sets aside what cannot be published, before the batch goes on. */
    private RoutedMessage route(OutboxRow row) throws FencedException, SQLException {
        if (isUnproved(row, Unpublishable.EVERY_HANDLER)) {
            return router.markersOnly(row);
        }
        RoutedMessage message;
        try {
            message = router.route(row);
        } catch (UnroutableException e) {
            for (Unpublishable fault : e.faults()) {
                setAside(fault, row);
            }
            return router.markersOnly(row);
        }
        for (String topic : message.topics()) {
            if (isUnproved(row, router.handlerOf(topic))) {
                message = router.withhold(message, topic);
            }
        }
        return message;
    }

    private boolean isUnproved(OutboxRow row, String handler) {
        return !unproved.isEmpty() && unproved.contains(new QuarantineStore.Entry(row.id(), handler));
    }

    private void setAside(Unpublishable fault, OutboxRow row) throws FencedException, SQLException {
        quarantine.record(fault, row.createdAt());
        meters.quarantined(fault);
        log.warn(
                "message {} of type {} is quarantined for handler {}: {}",
                fault.messageId(),
                row.type(),
                fault.handler(),
                fault.error());
    }

    /** Publishes, then proves. */
    private void settle(Batch batch, Lsn ack) throws FencedException, InterruptedException, SQLException {
        long started = System.nanoTime();
        Position after = batch.after(position, fence, ack);
        int attempt = attempts.next(after.batch());
        boolean settled = false;
        try {
            publishWhatIsTaken(batch, after);
            position = after;
            proof.settle(DispatchedBatch.of(after.batch(), attempt, after.lastCommit(), catalogVersion, batch.rows()));
            settled = true;
        } finally {
            if (!settled) {
                meters.batchFailed();
            }
        }
        meters.batchSettled(batch.messages(), System.nanoTime() - started);
    }

    /** Each round sets at least one copy aside, so there are no more rounds than copies. */
    private void publishWhatIsTaken(Batch batch, Position after)
            throws FencedException, InterruptedException, SQLException {
        while (true) {
            try {
                publishing.publish(batch.messages(), after);
                return;
            } catch (RefusedException e) {
                for (RefusedException.Refused refused : e.refused()) {
                    OutboxRow row = batch.withhold(refused, router);
                    setAside(
                            new Unpublishable(
                                    row.id(),
                                    router.handlerOf(refused.topic()),
                                    refused.tooLarge() ? Unpublishable.Cause.TOO_LARGE : Unpublishable.Cause.REFUSED,
                                    refused.error()),
                            row);
                }
            }
        }
    }

    /** Nothing to publish, but the slot is to move: the position must know before. */
    private void movePosition(Lsn ack) throws RefusedException, FencedException, InterruptedException {
        Position after = position.movedTo(tracker.lastCommit(), tracker.inProgress(), fence, ack);
        publishing.publish(List.of(), after);
        position = after;
    }

    private void acknowledge(WalBatch walBatch) throws Exception {
        if (position.ack().isBefore(walBatch.acknowledges())) {
            throw new IllegalStateException("the slot was about to move to " + walBatch.acknowledges()
                    + ", beyond the position's " + position.ack() + "; this is a fault of the relay");
        }
        if (!slotChecked) {
            slotGuard.check();
            slotChecked = true;
        }
        walBatch.acknowledge();
    }
}
