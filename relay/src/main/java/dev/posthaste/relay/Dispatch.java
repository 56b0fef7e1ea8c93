package dev.posthaste.relay;

import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Set;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.posthaste.relay.evidence.DispatchedBatch;
import dev.posthaste.relay.evidence.EvidenceStore;
import dev.posthaste.relay.health.RelayMeters;
import dev.posthaste.relay.lease.FencedException;
import dev.posthaste.relay.publishing.KafkaPublisher;
import dev.posthaste.relay.publishing.Position;
import dev.posthaste.relay.publishing.RefusedException;
import dev.posthaste.relay.quarantine.QuarantineStore;
import dev.posthaste.relay.routing.RoutedMessage;
import dev.posthaste.relay.routing.Router;
import dev.posthaste.relay.routing.Unpublishable;
import dev.posthaste.relay.routing.UnroutableException;
import dev.posthaste.relay.source.OutboxRow;

/**
 * What happens to messages wherever they come from, the stream or a repair: they are routed, published in one Kafka
 * transaction with the position after them, and proved. What cannot be published to a handler is set aside before the
 * batch goes on. Confined to one thread.
 */
final class Dispatch {

    private static final Logger log = LoggerFactory.getLogger(Dispatch.class);

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
    private final Attempts attempts;
    private final String catalogVersion;
    private final Set<QuarantineStore.Entry> unproved;

    /**
     * Puts the stages together.
     *
     * @param catalogVersion what the router routes by
     * @param unproved what is quarantined already of messages that are not proved yet
     */
    Dispatch(Stages stages, Attempts attempts, String catalogVersion, Set<QuarantineStore.Entry> unproved) {
        this.router = stages.router();
        this.quarantine = stages.quarantine();
        this.publishing = stages.publishing();
        this.proof = stages.proof();
        this.meters = stages.meters();
        this.attempts = attempts;
        this.catalogVersion = catalogVersion;
        this.unproved = unproved;
    }

    /** The stages a batch goes through, in order. */
    record Stages(Router router, SettingAside quarantine, Publishing publishing, Proof proof, RelayMeters meters) {}

    String catalogVersion() {
        return catalogVersion;
    }

    /** Routes, and sets aside what cannot be published, before the batch goes on. */
    RoutedMessage route(OutboxRow row) throws FencedException, SQLException {
        RoutedMessage message = routeToAll(row);
        for (Unpublishable fault : router.closedTo(message)) {
            setAside(fault, row);
        }
        return router.withoutClosed(message);
    }

    private RoutedMessage routeToAll(OutboxRow row) throws FencedException, SQLException {
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
        return !unproved.isEmpty() && unproved.contains(new QuarantineStore.Entry(row.id(), row.createdAt(), handler));
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

    /** Publishes, then proves; returns the position that was published. */
    Position settle(Batch batch, Position after) throws FencedException, InterruptedException, SQLException {
        long started = System.nanoTime();
        int attempt = attempts.next(after.batch());
        try {
            Position published = publishWhatIsTaken(batch, after);
            proof.settle(DispatchedBatch.of(after.batch(), attempt, after.lastCommit(), catalogVersion, batch.rows()));
            meters.batchSettled(batch.messages(), System.nanoTime() - started);
            return published;
        } catch (Exception e) {
            if (Outage.is(e)) {
                attempts.takeBack();
                meters.batchInterrupted();
            } else {
                meters.batchFailed();
            }
            throw e;
        }
    }

    /** Each round sets one copy aside, so there are no more rounds than copies. */
    private Position publishWhatIsTaken(Batch batch, Position after)
            throws FencedException, InterruptedException, SQLException {
        while (true) {
            Position position = batch.withholds() ? after.withholding() : after;
            try {
                publishing.publish(batch.messages(), position);
                return position;
            } catch (RefusedException e) {
                RefusedException.Refused refused = e.refused();
                OutboxRow row = batch.withhold(refused, router);
                setAside(
                        new Unpublishable(
                                row.id(), router.handlerOf(refused.topic()), refused.cause(), refused.error()),
                        row);
            }
        }
    }

    /** Publishes a position alone. */
    void move(Position after) throws FencedException, InterruptedException {
        try {
            publishing.publish(List.of(), after);
        } catch (RefusedException e) { // only copies of messages are reported as refused
            throw new IllegalStateException(e);
        }
    }

    /** Proves what another leader published. */
    void prove(DispatchedBatch batch) throws FencedException, SQLException {
        proof.settle(batch);
    }
}
