package dev.posthaste.relay;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import dev.posthaste.relay.evidence.DispatchedBatch;
import dev.posthaste.relay.evidence.EvidenceStore;
import dev.posthaste.relay.health.RelayMeters;
import dev.posthaste.relay.lease.FencedException;
import dev.posthaste.relay.lease.Lease;
import dev.posthaste.relay.lease.LeaseKeeper;
import dev.posthaste.relay.lease.LeaseStore;
import dev.posthaste.relay.lease.LeasedSession;
import dev.posthaste.relay.publishing.HandlerTopics;
import dev.posthaste.relay.publishing.KafkaPublisher;
import dev.posthaste.relay.publishing.Position;
import dev.posthaste.relay.publishing.TopicTail;
import dev.posthaste.relay.quarantine.QuarantineStore;
import dev.posthaste.relay.routing.Router;
import dev.posthaste.relay.source.Lsn;
import dev.posthaste.relay.source.NewSlot;
import dev.posthaste.relay.source.OutboxRow;
import dev.posthaste.relay.source.SlotState;
import dev.posthaste.relay.source.SourceDatabase;
import dev.posthaste.schemas.catalog.Catalog;

/**
 * Closes a gap: makes a new slot first, publishes what the slot's snapshot holds and neither evidence nor topics know,
 * marked as repaired, and writes the position from which streaming resumes. Writers go on meanwhile: what they commit
 * after the snapshot, the new slot sends.
 *
 * <p>It leads while it works: it holds the lease, and its publisher fences every relay. Killed at any moment, it leaves
 * the gap as it was or smaller: the position that ends it is written last, and each batch carries its own evidence. So
 * it may be run again. Used by one thread.
 */
public final class Repair {

    private static final Duration LEASE_WAIT = Duration.ofMillis(200);

    private final RelaySettings settings;
    private final String owner;
    private final Catalog catalog;
    private final RelayMeters meters;
    private final Consumer<String> report;
    private final RepairExam exam;

    /**
     * Prepares a repair.
     *
     * @param owner names this process in the lease
     * @param report told of each step
     */
    public Repair(RelaySettings settings, String owner, Catalog catalog, RelayMeters meters, Consumer<String> report) {
        this(settings, owner, catalog, meters, report, null);
    }

    /**
     * Prepares a repair of what a relay halted with, where a repair does not see it by itself.
     *
     * @param told {@code EVIDENCE_INCOMPLETE} or {@code POSITION_UNREADABLE}; null: neither
     * @throws IllegalArgumentException if it is another cause
     */
    public Repair(
            RelaySettings settings,
            String owner,
            Catalog catalog,
            RelayMeters meters,
            Consumer<String> report,
            HaltReason.@Nullable Cause told) {
        this.settings = settings;
        this.owner = owner;
        this.catalog = catalog;
        this.meters = meters;
        this.report = report;
        this.exam = new RepairExam(settings, told, report);
    }

    /** Says what a repair would do, without doing anything; returns the gap, null if there is none. */
    public @Nullable HaltReason examine() throws SQLException, HaltException, InterruptedException {
        try (Connection control = settings.database().connect("posthaste-repair")) {
            Registration.require(control, settings);
            SourceDatabase database = new SourceDatabase(control);
            Optional<SlotState> slot = database.slot(settings.slot()); // before the position, which only grows
            HaltReason gap = exam.gap(database, slot, exam.readPosition());
            if (gap == null) {
                report.accept("there is no gap: position and slot fit");
                return null;
            }
            report.accept("gap: " + gap.cause() + ": " + gap.detail());
            try (Connection snapshot = settings.database().connect("posthaste-repair")) {
                snapshot.setAutoCommit(false);
                Unpublished unpublished = new Unpublished(snapshot);
                unpublished.readTopics(
                        tail(),
                        catalog.topics(settings.namespace()),
                        gap.cause() == HaltReason.Cause.EVIDENCE_INCOMPLETE);
                report.accept(unpublished.count()
                        + " messages would be published and marked as repaired; a new slot would be made");
                snapshot.rollback();
            }
            return gap;
        }
    }

    /**
     * Closes the gap.
     *
     * @param anotherDatabase whether this is the outbox although the position is of another server, database or
     *     timeline: after a restore, a failover or an upgrade
     * @param leaseTimeout how long to try for the lease
     * @return whether there was a gap
     * @throws HaltException if the gap is not of a kind that may be closed this way
     */
    public boolean run(boolean anotherDatabase, Duration leaseTimeout) throws Exception {
        try (Connection leaseConnection = settings.database().connect("posthaste-lease", settings.lease())) {
            LeaseStore store = new LeaseStore(leaseConnection, settings.slot(), owner, settings.lease());
            Lease lease = acquire(store, leaseTimeout);
            LeaseKeeper keeper = LeaseKeeper.start(
                    store,
                    lease,
                    settings.lease(),
                    System::nanoTime,
                    () -> report.accept("the lease was lost; nothing more will be written"));
            try {
                return lead(keeper, anotherDatabase);
            } finally {
                keeper.close();
                store.release(keeper.lease());
            }
        }
    }

    private Lease acquire(LeaseStore store, Duration timeout)
            throws SQLException, InterruptedException, FencedException {
        long deadline = System.nanoTime() + timeout.toNanos();
        Optional<Lease> lease = store.tryAcquire();
        while (lease.isEmpty()) {
            if (System.nanoTime() - deadline > 0) {
                throw new FencedException("a relay leads; a gap is repaired while all relays stand by or are halted");
            }
            Thread.sleep(LEASE_WAIT.toMillis());
            lease = store.tryAcquire();
        }
        return lease.get();
    }

    private boolean lead(LeaseKeeper keeper, boolean anotherDatabase) throws Exception {
        try (KafkaPublisher publisher = KafkaPublisher.open(settings.publisher());
                Connection control = settings.database().connect("posthaste-repair")) {
            Registration.require(control, settings);
            SourceDatabase database = new SourceDatabase(control);
            HandlerTopics topics = HandlerTopics.look(
                    settings.kafka(), settings.requestTimeout(), catalog.topics(settings.namespace()));
            HangingCheck.settle(settings, publisher, topics.partitions(), database);
            Optional<Position> found = exam.readPosition();
            HaltReason gap = exam.gap(database, database.slot(settings.slot()), found);
            if (gap == null) {
                report.accept("there is no gap: position and slot fit");
                return false;
            }
            RepairExam.refuseUnlessRepairable(gap, anotherDatabase);
            report.accept("gap: " + gap.cause() + ": " + gap.detail());
            Position before = found.isPresent() ? found.get() : lostPosition(database);
            Lease lease = keeper.raiseFence(before.fence())
                    .orElseThrow(() -> new FencedException("PostgreSQL: the lease was taken during the repair"));
            if (database.slot(settings.slot()).isPresent()) {
                database.dropSlot(settings.slot(), settings.requestTimeout());
            }
            report.accept("making a new slot; it waits for the transactions that run now");
            try (NewSlot slot = NewSlot.make(settings.database(), settings.slot());
                    Connection snapshot = settings.database().connect("posthaste-repair");
                    LeasedSession session = LeasedSession.open(
                            settings.database().connect("posthaste-evidence"), lease, settings.lease())) {
                slot.beginSnapshot(snapshot);
                Position after = publish(
                        publisher,
                        session,
                        snapshot,
                        before,
                        lease,
                        gap.cause() == HaltReason.Cause.EVIDENCE_INCOMPLETE);
                // Batches beyond the newest evidence are proved under later numbers, or there is nothing to prove.
                publisher.publishPosition(new Position(
                        database.identity(),
                        lease.fence(),
                        database.lastBatch(settings.slot()),
                        0,
                        slot.consistentPoint(),
                        null,
                        slot.consistentPoint(),
                        after.lastMessageId(),
                        false));
                snapshot.rollback();
                report.accept("streaming resumes at " + slot.consistentPoint());
                return true;
            }
        }
    }

    private Position publish(
            KafkaPublisher publisher,
            LeasedSession session,
            Connection snapshot,
            Position before,
            Lease lease,
            boolean evidenceWasLost)
            throws Exception {
        EvidenceStore evidence = new EvidenceStore(session);
        QuarantineStore quarantine = new QuarantineStore(session);
        Dispatch dispatch = new Dispatch(
                new Dispatch.Stages(
                        new Router(settings.namespace(), catalog),
                        quarantine::record,
                        publisher::publish,
                        evidence::settle,
                        meters),
                new Attempts(),
                catalog.version(),
                quarantine.unproved());
        Unpublished unpublished = new Unpublished(snapshot);
        unpublished.readTopics(tail(), catalog.topics(settings.namespace()), evidenceWasLost);
        Progress progress = new Progress(before);
        unpublished.unproved(rows -> {
            // Numbered after what streaming numbered: the batch that lacks its evidence may have been torn from
            // several.
            progress.position = progress.position.withRepairedBatch(
                    lease.fence(), rows.size(), rows.get(rows.size() - 1).id());
            dispatch.move(progress.position);
            evidence.settle(
                    DispatchedBatch.of(progress.position.batch(), 1, before.lastCommit(), catalog.version(), rows));
            progress.proved += rows.size();
        });
        unpublished.missing(rows -> {
            Batch batch = new Batch(settings.batch());
            for (OutboxRow row : rows) {
                if (batch.isFull()) {
                    settle(dispatch, batch, progress, lease);
                    batch = new Batch(settings.batch());
                }
                batch.add(dispatch.route(row).marked("repair"));
            }
            settle(dispatch, batch, progress, lease);
        });
        report.accept(progress.proved + " messages were on the topics and are proved now; " + progress.published
                + " were missing and are published, marked as repaired");
        return progress.position;
    }

    private static void settle(Dispatch dispatch, Batch batch, Progress progress, Lease lease) throws Exception {
        Position after = progress.position.withRepairedBatch(
                lease.fence(),
                batch.messages().size(),
                batch.messages().get(batch.messages().size() - 1).row().id());
        progress.position = dispatch.settle(batch, after);
        progress.published += batch.messages().size();
    }

    private static final class Progress {
        private Position position;
        private long proved;
        private long published;

        Progress(Position position) {
            this.position = position;
        }
    }

    /** In the place of a lost one; the slot lies beyond it, and the numbers of batches go on. */
    private Position lostPosition(SourceDatabase database) throws SQLException {
        Position first = Position.first(database.identity(), Lsn.NONE);
        return first.afterBatch(database.lastBatch(settings.slot()));
    }

    private TopicTail tail() {
        return new TopicTail(settings.kafka(), settings.requestTimeout());
    }
}
