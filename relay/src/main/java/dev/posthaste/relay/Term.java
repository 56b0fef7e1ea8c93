package dev.posthaste.relay;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.LongConsumer;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.posthaste.relay.evidence.EvidenceStore;
import dev.posthaste.relay.health.RelayMeters;
import dev.posthaste.relay.lease.FencedException;
import dev.posthaste.relay.lease.Lease;
import dev.posthaste.relay.lease.LeaseKeeper;
import dev.posthaste.relay.lease.LeasedSession;
import dev.posthaste.relay.publishing.HandlerTopics;
import dev.posthaste.relay.publishing.KafkaPublisher;
import dev.posthaste.relay.publishing.PartitionMemory;
import dev.posthaste.relay.publishing.Position;
import dev.posthaste.relay.publishing.PositionStore;
import dev.posthaste.relay.quarantine.QuarantineStore;
import dev.posthaste.relay.quarantine.Retries;
import dev.posthaste.relay.routing.Router;
import dev.posthaste.relay.source.DebeziumSource;
import dev.posthaste.relay.source.Lsn;
import dev.posthaste.relay.source.SlotState;
import dev.posthaste.relay.source.SourceDatabase;
import dev.posthaste.relay.source.UnreadableRowException;
import dev.posthaste.relay.source.WalSource;
import dev.posthaste.schemas.catalog.Catalog;
import dev.posthaste.schemas.catalog.CatalogException;
import dev.posthaste.schemas.catalog.CatalogReader;

/**
 * One leader's term, from the lease to the end of the stream. The order of its start is the order in which nobody can
 * be left behind who still moves something: fence the older publishers, free the slot, see that nothing of theirs is
 * undecided, then read position and slot, check them, stream.
 */
final class Term {

    private static final Logger log = LoggerFactory.getLogger(Term.class);
    private static final Duration SLOT_FREE_TIMEOUT = Duration.ofSeconds(10);
    /** A server that answers so late is away; a stop must not wait longer for it. */
    private static final Duration ANSWER_MAX = Duration.ofSeconds(10);

    private final RelaySettings settings;
    private final Preflight preflight;
    private final LeaseKeeper keeper;
    private final RelayMeters meters;
    private final Attempts attempts;

    Term(RelaySettings settings, Preflight preflight, LeaseKeeper keeper, RelayMeters meters, Attempts attempts) {
        this.settings = settings;
        this.preflight = preflight;
        this.keeper = keeper;
        this.meters = meters;
        this.attempts = attempts;
    }

    /**
     * Leads until {@code over} completes or something fails.
     *
     * @param over completed when the lease is lost or the relay is told to stop
     * @param onStreaming told the fence once the engine is started
     * @param onDraining told once the stream is about to end
     */
    void run(CompletableFuture<?> over, LongConsumer onStreaming, Runnable onDraining) throws Exception {
        Catalog catalog = readCatalog();
        try (KafkaPublisher publisher = KafkaPublisher.open(settings.publisher());
                Connection control = connectControl()) {
            meters.storeIsAvailable(RelayMeters.Store.KAFKA);
            SourceDatabase database = new SourceDatabase(control);
            Registration.require(control, settings);
            preflight.check(control);
            HandlerTopics topics = lookAtTopics(catalog, control);
            database.freeSlot(settings.slot(), SLOT_FREE_TIMEOUT);
            HangingCheck.settle(settings, publisher, topics.partitions(), database);
            GapCheck.Begin begin = GapCheck.refuse(settings, database.slot(settings.slot()), readPosition(), database);
            Position position = begin.position();
            Lsn streamStart = begin.stream();
            Lease lease = keeper.raiseFence(position.fence())
                    .orElseThrow(() -> new FencedException("PostgreSQL: the lease was taken during the start"));
            meters.storeIsAvailable(RelayMeters.Store.POSTGRESQL);
            try (LeasedSession session = LeasedSession.open(connectEvidence(), lease, settings.lease())) {
                EvidenceStore evidence = new EvidenceStore(session);
                QuarantineStore quarantine = new QuarantineStore(session);
                boolean settled = position.batch() == 0 || evidence.isSettled(position.batch());
                Router router = new Router(settings.namespace(), catalog, topics);
                RetryTurn turn = new RetryTurn(topics, session, meters);
                Retries retries = new Retries(
                        session,
                        router,
                        publisher::publishReleased,
                        settings.batch().bytes(),
                        turn);
                Dispatch dispatch = new Dispatch(
                        new Dispatch.Stages(router, quarantine::record, publisher::publish, evidence::settle, meters),
                        attempts,
                        catalog.version(),
                        quarantine.unproved());
                Pipeline pipeline = new Pipeline(
                        dispatch,
                        settings.batch(),
                        new Pipeline.Start(position, streamStart, settled),
                        lease.fence(),
                        () -> checkSlotUnmoved(session, streamStart));
                log.info(
                        "streaming slot {} from {} with fence {}, after batch {}",
                        settings.slot(),
                        streamStart,
                        lease.fence(),
                        position.batch());
                WalSource source = DebeziumSource.start(settings.source(), streamStart, batch -> {
                    pipeline.onBatch(batch);
                    turn.takeIfDue(retries);
                });
                FiguresReader figures = new FiguresReader(settings.slot(), catalog);
                stream(source, control, figures, over, lease, onStreaming, onDraining);
            }
        }
    }

    private void stream(
            WalSource source,
            Connection control,
            FiguresReader figures,
            CompletableFuture<?> over,
            Lease lease,
            LongConsumer onStreaming,
            Runnable onDraining)
            throws Exception {
        try (Maintenance maintenance = Maintenance.start(control, this::connectControl, figures, meters)) {
            onStreaming.accept(lease.fence());
            CompletableFuture.anyOf(source.ended(), over).get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof UnreadableRowException unreadable) {
                throw new HaltException(
                        HaltReason.Cause.ROW_UNREADABLE,
                        String.valueOf(unreadable.getMessage()),
                        "see the runbook for unreadable rows; nothing was acknowledged past it");
            }
            throw e.getCause() instanceof Exception cause ? cause : e;
        } finally {
            onDraining.run();
            source.stop(settings.drain());
        }
    }

    private Connection connectControl() throws SQLException {
        Connection control = settings.database().connect("posthaste-control", ANSWER_MAX);
        new SourceDatabase(control).limitLockWaits(settings.lease().dividedBy(3));
        return control;
    }

    /**
     * A topic that is gone, forbidden, or has got other partitions concerns its handler alone, and ends no term. All of
     * them together are no fault of the messages: they wait.
     */
    private HandlerTopics lookAtTopics(Catalog catalog, Connection control)
            throws SQLException, HaltException, InterruptedException {
        HandlerTopics topics =
                HandlerTopics.look(settings.kafka(), settings.requestTimeout(), catalog.topics(settings.namespace()));
        RetryTurn.refuseIfAllAreClosed(topics);
        RetryTurn.waitFor(RetryTurn.waited(topics, control), topics);
        topics.closed()
                .forEach((topic, cause) ->
                        log.warn("{}: {}; what goes there is quarantined, and tried again by itself", topic, cause));
        new PartitionMemory(control)
                .remember(topics.partitions())
                .forEach((topic, count) -> log.warn(
                        "topic {} had {} partitions when it was first seen and has {} now: the order per key is not kept across the change; see posthaste doctor",
                        topic,
                        count.first(),
                        count.now()));
        return topics;
    }

    /** An answer later than the lease lasts proves nothing: the transaction holds the row that renews it. */
    private Connection connectEvidence() throws SQLException {
        return settings.database().connect("posthaste-evidence", settings.lease());
    }

    private Catalog readCatalog() throws HaltException {
        try {
            return CatalogReader.read(settings.catalog());
        } catch (CatalogException e) {
            throw new HaltException(
                    HaltReason.Cause.CATALOG_INVALID,
                    String.valueOf(e.getMessage()),
                    "mend the files; the relay reads them again");
        }
    }

    private Position readPosition() throws HaltException {
        PositionStore store = new PositionStore(settings.publisher());
        try {
            return store.read()
                    .orElseThrow(() -> new HaltException(
                            HaltReason.Cause.POSITION_MISSING,
                            "topic " + settings.namespace().positionTopic() + " has no record for slot "
                                    + settings.slot(),
                            "run `posthaste init` if this slot never published; if it did, see the runbook"));
        } catch (IllegalArgumentException e) {
            throw new HaltException(
                    HaltReason.Cause.POSITION_UNREADABLE,
                    String.valueOf(e.getMessage()),
                    "run a relay of the version that wrote it, or newer");
        }
    }

    /** The old walsender is gone before the slot is read; this makes sure, before anything is published. */
    private void checkSlotUnmoved(LeasedSession session, Lsn streamStart) throws HaltException, SQLException {
        Optional<SlotState> slot = session.read(connection -> new SourceDatabase(connection).slot(settings.slot()));
        if (slot.isEmpty() || !streamStart.equals(slot.get().confirmed())) {
            throw new HaltException(
                    HaltReason.Cause.SLOT_BEYOND_ACK,
                    "slot " + settings.slot() + " stood at " + streamStart + " when the stream began and is now "
                            + slot.map(SlotState::confirmed).orElse(null) + " before anything was acknowledged",
                    "find out who else moves this slot");
        }
    }
}
