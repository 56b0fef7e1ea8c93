package dev.posthaste.relay;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import dev.posthaste.relay.evidence.DispatchedBatch;
import dev.posthaste.relay.health.RelayMeters;
import dev.posthaste.relay.publishing.Position;
import dev.posthaste.relay.routing.RoutedMessage;
import dev.posthaste.relay.routing.Router;
import dev.posthaste.relay.routing.Unpublishable;
import dev.posthaste.relay.source.Lsn;
import dev.posthaste.relay.source.ModelSource;
import dev.posthaste.relay.source.ModelSource.EngineRecord;
import dev.posthaste.relay.source.OutboxRow;
import dev.posthaste.relay.source.SlotState;
import dev.posthaste.relay.source.SourceDatabase;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * One made-up history, published by the real pipeline between a made-up source and made-up stores, through crashes at
 * every point where a crash can be told from another.
 */
final class ModelRun {

    /** A fault put in on purpose, to see that the checks would notice it. */
    enum Fault {
        NONE,
        /** The position does not remember how many rows of the transaction in progress are published. */
        POSITION_FORGETS_ROWS,
        /** The places of rows are taken for ends of transactions. */
        ROW_PLACES_TAKEN_FOR_COMMITS,
        /** The slot moves past the transaction in progress. */
        SLOT_PASSES_OPEN_TRANSACTION,
        /** The evidence of a batch is not written. */
        EVIDENCE_FORGOTTEN
    }

    private static final class Crash extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private static final SourceDatabase.Identity DATABASE = new SourceDatabase.Identity("7", "library", 1);
    private static final RelaySettings.Bounds BATCH = new RelaySettings.Bounds(7, 30_000);
    private static final RelayMeters METERS = new RelayMeters(new SimpleMeterRegistry());
    private static final int CRASHES_MAX = 12;

    private final Random random;
    private final Router router;
    private final Fault fault;
    private final ModelHistory history;
    private final double crashChance;

    private Lsn slot = ModelHistory.SLOT_MADE;
    private final List<Lsn> placesOfSlot = new ArrayList<>(List.of(slot));
    private Lsn flushing = slot; // acknowledged, but not at the server yet
    private Position position = Position.first(DATABASE, slot);
    private final List<UUID> published = new ArrayList<>();
    private final Map<Long, List<UUID>> batches = new TreeMap<>();
    private final Map<Long, List<UUID>> evidence = new TreeMap<>();
    private boolean crashes = true;
    private int crashCount;
    private int unprovedStarts;
    private int slotsMovedBack;
    private int startsInsideTransaction;

    ModelRun(long seed, Router router, Fault fault) {
        this.random = new Random(seed);
        this.router = router;
        this.fault = fault;
        this.history = ModelHistory.make(random);
        this.crashChance = random.nextDouble() * 0.3;
    }

    /** Runs to the end, then checks the end. */
    void run() throws Exception {
        for (int n = 0; n < CRASHES_MAX && crashes; n++) {
            try {
                lead();
                crashes = false;
            } catch (Crash e) {
                crashCount++;
                afterCrash();
            }
        }
        crashes = false;
        lead();
        assertThat(published).as("published, against committed").isEqualTo(history.ids());
        assertThat(evidence).as("evidence, against batches").isEqualTo(batches);
        assertThat(slot).as("the slot at the end").isEqualTo(history.end());
    }

    int crashCount() {
        return crashCount;
    }

    /** How often a leader began with the evidence of the last batch missing. */
    int unprovedStarts() {
        return unprovedStarts;
    }

    /** How often the slot stood at an older place after a crash. */
    int slotsMovedBack() {
        return slotsMovedBack;
    }

    /** How often a leader began with a transaction partly published. */
    int startsInsideTransaction() {
        return startsInsideTransaction;
    }

    private void afterCrash() {
        if (random.nextBoolean()) {
            reachServer(flushing); // it was on its way
        }
        flushing = slot;
        if (random.nextInt(4) == 0) {
            Lsn older =
                    placesOfSlot.get(random.nextInt(placesOfSlot.size())); // the server crashed, or a standby took over
            slotsMovedBack += older.isBefore(slot) ? 1 : 0;
            slot = older;
        }
    }

    /** One term: what is read at its start, then the stream until it ends or something crashes. */
    private void lead() throws Exception {
        Lsn streamStart = Gap.refuse("slot", Optional.of(slotState()), position, DATABASE);
        ModelSource source = new ModelSource(streamStart, this::acknowledged);
        boolean settled = position.batch() == 0 || evidence.containsKey(position.batch());
        unprovedStarts += settled ? 0 : 1;
        startsInsideTransaction += history.isInsideTransaction(published.size()) ? 1 : 0;
        Pipeline pipeline = new Pipeline(
                new Dispatch(
                        new Dispatch.Stages(
                                router, ModelRun::nothingIsQuarantined, this::publish, this::settle, METERS),
                        new Attempts(),
                        "catalog",
                        Set.of()),
                BATCH,
                new Pipeline.Start(position, streamStart, settled),
                1,
                () -> {});
        List<EngineRecord> stream = engineRecords(streamStart);
        int next = 0;
        while (next < stream.size()) {
            mayCrash();
            int end = Math.min(stream.size(), next + 1 + random.nextInt(12));
            pipeline.onBatch(source.batch(stream.subList(next, end)));
            if (random.nextBoolean()) {
                reachServer(flushing); // the engine flushes at its next poll
            }
            next = end;
        }
        reachServer(flushing);
    }

    private static void nothingIsQuarantined(Unpublishable fault, Instant createdAt) {
        throw new IllegalStateException("the model stages nothing that cannot be published, but " + fault);
    }

    private SlotState slotState() {
        return new SlotState("pgoutput", slot, slot, null, "reserved", null, 0);
    }

    private List<EngineRecord> engineRecords(Lsn streamStart) {
        List<EngineRecord> records = new ArrayList<>();
        Lsn lastCommit = null;
        for (ModelHistory.Entry entry : history.from(streamStart)) {
            mayBeat(records, lastCommit);
            int row = 0;
            for (OutboxRow outboxRow : entry.rows()) {
                Lsn seen = fault == Fault.ROW_PLACES_TAKEN_FOR_COMMITS
                        ? entry.rowPlaces().get(row)
                        : lastCommit;
                records.add(new EngineRecord(seen, entry.xid(), outboxRow));
                mayBeat(records, lastCommit);
                row++;
            }
            if (fault == Fault.SLOT_PASSES_OPEN_TRANSACTION && row > 1) {
                EngineRecord last = records.remove(records.size() - 1);
                records.add(new EngineRecord(entry.ends(), last.xid(), last.row()));
            }
            lastCommit = entry.ends();
            if (entry.reported()) {
                records.add(new EngineRecord(lastCommit, entry.xid(), null));
            }
        }
        return records;
    }

    private void mayBeat(List<EngineRecord> records, Lsn lastCommit) {
        if (random.nextInt(8) == 0) {
            records.add(new EngineRecord(lastCommit, 0, null));
        }
    }

    private void publish(List<RoutedMessage> messages, Position after) {
        mayCrash();
        List<UUID> ids = messages.stream().map(message -> message.row().id()).toList();
        published.addAll(ids);
        assertThat(history.ids().subList(0, published.size()))
                .as("committed, against published so far")
                .isEqualTo(published);
        if (!ids.isEmpty()) {
            assertThat(after.batch()).isEqualTo(position.batch() + 1);
            batches.put(after.batch(), ids);
        }
        position = fault == Fault.POSITION_FORGETS_ROWS ? withoutRows(after) : after;
        mayCrash();
    }

    private static Position withoutRows(Position p) {
        return new Position(
                p.source(),
                p.fence(),
                p.batch(),
                p.batchMessages(),
                p.lastCommit(),
                p.inProgress() == null
                        ? null
                        : new Position.InProgress(p.inProgress().xid(), 0),
                p.ack(),
                p.lastMessageId(),
                p.withheld());
    }

    private void settle(DispatchedBatch batch) {
        mayCrash();
        if (fault != Fault.EVIDENCE_FORGOTTEN || random.nextBoolean()) {
            evidence.putIfAbsent(batch.batch(), batch.messageIds());
        }
        mayCrash();
    }

    private void acknowledged(Lsn flushed) {
        mayCrash();
        assertThat(position.ack().isBefore(flushed))
                .as("acknowledged beyond the position's ack")
                .isFalse();
        flushing = flushed;
    }

    private void reachServer(Lsn flushed) {
        if (slot.isBefore(flushed)) {
            slot = flushed;
            placesOfSlot.add(flushed);
        }
        List<UUID> gone = history.idsBefore(slot);
        assertThat(published).as("published, before the slot passes").containsAll(gone);
        assertThat(evidence.values().stream().flatMap(List::stream).toList())
                .as("proved, before the slot passes")
                .containsAll(gone);
    }

    private void mayCrash() {
        if (crashes && random.nextDouble() < crashChance) {
            throw new Crash();
        }
    }
}
