package dev.posthaste.chaos.scenario;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TransactionState;

import dev.posthaste.chaos.load.ChaosCatalog;
import dev.posthaste.chaos.world.OwnNetwork;
import dev.posthaste.chaos.world.RelayNode;
import dev.posthaste.chaos.world.Setup;
import dev.posthaste.chaos.world.World;
import dev.posthaste.testkit.faults.KafkaGate;
import dev.posthaste.testkit.faults.Signals;

import static dev.posthaste.chaos.scenario.Scenario.of;
import static java.util.Objects.requireNonNull;

/** What happens to relays. */
final class RelayScenarios {

    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final int BATCH_MESSAGES = 1_000;
    /** Rows of a transaction that takes many batches. */
    private static final int LARGE_TRANSACTION = 20_000;

    private static final String TRANSACTIONAL_ID = World.NAMESPACE + "-" + World.SLOT;

    private RelayScenarios() {}

    static List<Scenario> all() {
        return List.of(
                of(
                        "relay-killed-before-first-record",
                        "killed before the first record of a batch",
                        at(KafkaGate.Point.FIRST_RECORD)),
                of(
                        "relay-killed-mid-transaction",
                        "killed when some of a batch has reached the broker",
                        at(KafkaGate.Point.LATER_RECORD)),
                of(
                        "relay-killed-before-commit",
                        "killed when all of a batch has reached the broker but the commit",
                        at(KafkaGate.Point.COMMIT)),
                of(
                                "relay-killed-after-commit",
                                "killed when the broker has the commit and it does not know",
                                at(KafkaGate.Point.COMMIT_ANSWER))
                        .shortTier(),
                of(
                        "relay-killed-before-evidence",
                        "killed when a batch is committed and has no evidence",
                        RelayScenarios::beforeEvidence),
                of(
                        "relay-killed-before-slot-moved",
                        "killed when a batch has its evidence and the slot has not moved",
                        RelayScenarios::beforeSlotMoved),
                of(
                        "relay-killed-during-start",
                        "killed when it has the lease and fences older publishers",
                        at(KafkaGate.Point.START)),
                of(
                        "relay-killed-at-random",
                        "killed every few seconds while messages wait",
                        RelayScenarios::killedAtRandom),
                of(
                                "walsender-ended",
                                "the server ends the walsender again and again, also in the middle of a large transaction",
                                RelayScenarios::walsenderEnded)
                        .with(setup ->
                                setup.withFailShare(0).withLoad(new Setup.Load(50, 100, 0, 0, LARGE_TRANSACTION)))
                        .recoveringWithin(Duration.ofMinutes(4)),
                of("relay-frozen-shortly", "SIGSTOP for less than the lease", chaos -> {
                    for (int i = 0; i < 3; i++) {
                        chaos.freeze(chaos.leader(), Duration.ofMillis(1_500));
                        chaos.awaitBatches(2);
                    }
                }),
                of(
                                "relay-frozen-beyond-its-lease",
                                "SIGSTOP beyond the lease: another leads, the first changes nothing afterwards",
                                RelayScenarios::frozenBeyondItsLease)
                        .with(setup -> setup.withRelays(2))
                        .shortTier(),
                of(
                        "relay-frozen-with-a-batch-on-its-way",
                        "SIGSTOP beyond the lease, a batch on its way to Kafka: another publishes it, and then it comes",
                        RelayScenarios::frozenWithABatchOnItsWay),
                of("two-relays-one-identity", "two of one identity, each killed and started in turn", chaos -> {
                            for (int i = 0; i < 4; i++) {
                                chaos.awaitBatches(2);
                                chaos.killAndRestart(chaos.leader());
                            }
                        })
                        .with(setup -> setup.withRelays(2)),
                of("leader-cut-from-postgres", "the leader alone loses PostgreSQL, another takes over", chaos -> {
                            RelayNode leader = chaos.leader();
                            chaos.world().toPostgres(leader).refuse();
                            chaos.await("another leads", () -> isLedByAnother(chaos, leader));
                            chaos.fired(leader.name() + " is cut off from PostgreSQL", "another leads");
                            chaos.awaitBatches(2);
                        })
                        .with(setup -> setup.withRelays(2)),
                of("leader-cut-from-kafka", "the leader alone loses Kafka, another takes over", chaos -> {
                            RelayNode leader = chaos.leader();
                            chaos.world().toKafka(leader).refuse();
                            chaos.await("another leads", () -> isLedByAnother(chaos, leader));
                            chaos.fired(leader.name() + " is cut off from Kafka", "another leads");
                            chaos.awaitBatches(2);
                        })
                        .with(setup -> setup.withRelays(2)),
                of(
                                "leader-unplugged",
                                "the leader's network cable is pulled and nobody is told; another takes over",
                                RelayScenarios::unplugged)
                        .unless(OwnNetwork::obstacle),
                of(
                        "kafka-transaction-times-out",
                        "frozen with an open transaction until the broker has aborted it",
                        RelayScenarios::transactionTimesOut),
                of(
                        "transaction-open-across-restart",
                        "a transaction begins before a relay's restart and commits after it",
                        RelayScenarios::openAcrossRestart),
                of("poison-and-oversize", "rows of an unknown type and payloads of megabytes among others", chaos -> {
                            chaos.await(
                                    "rows are set aside",
                                    () -> chaos.world().outboxNumber("SELECT count(*) FROM outbox.quarantined") > 0);
                            chaos.fired("rows that no handler can be given", "they are set aside");
                            chaos.killAndRestart(chaos.leader());
                        })
                        .with(setup -> setup.withLoad(new Setup.Load(150, 100, 0.02, 0.01, 0))),
                of("huge-transaction", "one transaction of very many rows, the relay killed in its middle", chaos -> {
                            chaos.await(
                                    "very many messages wait", Duration.ofMinutes(3), () -> chaos.pending() > 10_000);
                            chaos.killAndRestart(chaos.leader());
                        })
                        .with(setup ->
                                setup.withFailShare(0).withLoad(new Setup.Load(50, 100, 0, 0, LARGE_TRANSACTION)))
                        .recoveringWithin(Duration.ofMinutes(4)),
                of(
                                "million-row-transaction",
                                "one transaction of a million rows, the relay killed in its middle",
                                chaos -> {
                                    chaos.await(
                                            "a hundred thousand of them are proved",
                                            Duration.ofMinutes(6),
                                            () -> chaos.world()
                                                            .outboxNumber("SELECT count(*) FROM outbox.dispatch_batch"
                                                                    + " WHERE cardinality(message_ids) = "
                                                                    + BATCH_MESSAGES)
                                                    >= 100_000 / BATCH_MESSAGES);
                                    chaos.killAndRestart(chaos.leader());
                                })
                        .with(setup -> setup.withFailShare(0)
                                .withHandlers(ChaosCatalog.STATISTICS) // a million of leased calls would take an hour
                                .withRelayVariable("POSTHASTE_BATCH_MESSAGES", Integer.toString(BATCH_MESSAGES))
                                .withLoad(new Setup.Load(50, 100, 0, 0, 1_000_000)))
                        .recoveringWithin(Duration.ofMinutes(10)),
                of(
                        "ddl-on-the-outbox",
                        "columns and partitions of the outbox come and go mid-stream",
                        chaos -> ddl(chaos, chaos.world())));
    }

    private static boolean isLedByAnother(Chaos chaos, RelayNode former) {
        RelayNode leader = chaos.world().leader();
        return leader != null && leader != former;
    }

    /** Every packet is gone, in both directions: also the answers to keep-alives. */
    private static void unplugged(Chaos chaos) throws Exception {
        RelayNode other = chaos.world().relays().get(0);
        other.terminate();
        RelayNode leader = chaos.world().addRelayInOwnNetwork("relay-in-own-network");
        OwnNetwork network = requireNonNull(leader.network());
        leader.start();
        chaos.await("the one in its own network leads", leader::isStreaming);
        other.start();
        chaos.await("another waits to lead", () -> other.state().equals("standby"));
        chaos.awaitBatches(2);
        network.unplug();
        chaos.await("another leads", other::isStreaming);
        chaos.awaitBatches(2);
        chaos.pause(chaos.scale().of(Duration.ofSeconds(5), Duration.ofSeconds(60)));
        chaos.fault(
                leader.name() + " is unplugged",
                network.isCut() && leader.isAlive(),
                "it runs, its cable carries nothing, and another leads");
        network.plug();
        chaos.await("it is back and waits", () -> leader.state().equals("standby"));
    }

    /** A relay behind a gate is held at that point, and killed there. */
    private static Scenario.Script at(KafkaGate.Point point) {
        return chaos -> {
            try (KafkaGate gate = KafkaGate.before(chaos.world().bootstrapServers())) {
                boolean start = point == KafkaGate.Point.START;
                if (start) {
                    gate.holdAt(point);
                }
                RelayNode held = start ? behind(chaos, gate) : lead(chaos, gate);
                if (!start) {
                    gate.holdAt(point);
                }
                gate.awaitHeld();
                held.kill();
                chaos.fired("SIGKILL at " + point, "it was held there, and is gone");
                chaos.world().removeRelay(held);
            }
            chaos.world().relays().get(0).start();
            chaos.leader();
        };
    }

    /** The only relay, started behind a gate. */
    private static RelayNode behind(Chaos chaos, KafkaGate gate) throws Exception {
        for (RelayNode relay : List.copyOf(chaos.world().relays())) {
            relay.terminate();
        }
        // Each record in a request of its own, so that a batch takes several.
        RelayNode held = chaos.world()
                .addRelay(
                        "relay-held",
                        Map.of(
                                "POSTHASTE_KAFKA_BOOTSTRAP_SERVERS",
                                gate.bootstrapServers(),
                                "POSTHASTE_KAFKA_PROPERTIES_BATCH_SIZE",
                                "1"));
        held.start();
        return held;
    }

    private static RelayNode lead(Chaos chaos, KafkaGate gate) throws Exception {
        RelayNode held = behind(chaos, gate);
        chaos.await("the held one leads", held::isStreaming);
        chaos.awaitBatches(2);
        return held;
    }

    private static void beforeEvidence(Chaos chaos) throws Exception {
        RelayNode leader = chaos.leader();
        chaos.awaitBatches(2);
        try (HeldEvidence evidence = HeldEvidence.hold(chaos)) {
            leader.kill();
            chaos.fired("SIGKILL before the evidence", "its session waited to write it");
        }
        leader.start();
    }

    private static void beforeSlotMoved(Chaos chaos) throws Exception {
        RelayNode leader = chaos.leader();
        chaos.awaitBatches(2);
        long walsender;
        try (HeldEvidence evidence = HeldEvidence.hold(chaos)) {
            walsender = chaos.world()
                    .outboxNumber("SELECT active_pid FROM pg_replication_slots WHERE slot_name = '" + World.SLOT + "'");
            Signals.send("STOP", walsender); // it takes no acknowledgement, so the slot stays
        }
        chaos.awaitBatches(1);
        leader.kill();
        chaos.world().outboxNumber("SELECT pg_terminate_backend(" + walsender + ")::int");
        Signals.send("CONT", walsender);
        chaos.fired("SIGKILL after the evidence", "the walsender stood still from before it until after the kill");
        leader.start();
    }

    private static void killedAtRandom(Chaos chaos) throws Exception {
        Instant end = Instant.now().plus(chaos.scale().random());
        while (Instant.now().isBefore(end)) {
            chaos.pauseAbout(Duration.ofSeconds(1));
            chaos.killAndRestart(chaos.leader());
        }
    }

    private static void walsenderEnded(Chaos chaos) throws Exception {
        chaos.await("the large transaction is committed", () -> chaos.pending() > LARGE_TRANSACTION / 2);
        AtomicLong walsender = new AtomicLong();
        for (int i = 0; i < 3; i++) {
            chaos.awaitBatches(2);
            endAnother(walsender, chaos);
        }
        long left = chaos.pending();
        chaos.fault("the last of them in the middle of the large one", left > 1_000, left + " messages were pending");
        for (int i = 0; i < 3; i++) {
            chaos.leader();
            chaos.awaitWhatIsStagedNext();
            endAnother(walsender, chaos);
        }
    }

    private static void endAnother(AtomicLong former, Chaos chaos) throws Exception {
        chaos.await("another walsender is ended", () -> {
            long now = chaos.world()
                    .outboxNumber("SELECT coalesce(max(active_pid), 0) FROM pg_replication_slots"
                            + " WHERE active AND slot_name = '" + World.SLOT + "'");
            return now > 0
                    && former.getAndSet(now) != now
                    && chaos.world().outboxNumber("SELECT pg_terminate_backend(" + now + ")::int") == 1;
        });
        chaos.fired("the walsender is ended", "process " + former.get() + " of the server was told to");
    }

    private static void frozenBeyondItsLease(Chaos chaos) throws Exception {
        RelayNode leader = chaos.leader();
        chaos.awaitBatches(2);
        leader.freeze();
        chaos.await("another leads", () -> isLedByAnother(chaos, leader));
        chaos.awaitBatches(2);
        chaos.fired("SIGSTOP to " + leader.name() + " beyond its lease", "another leads and publishes");
        leader.thaw();
        chaos.pause(LEASE);
    }

    /** Its batch would be taken if nobody had fenced it: nothing of it was there for the next leader to wait for. */
    private static void frozenWithABatchOnItsWay(Chaos chaos) throws Exception {
        RelayNode other = chaos.world().relays().get(0);
        try (KafkaGate gate = KafkaGate.before(chaos.world().bootstrapServers())) {
            RelayNode held = lead(chaos, gate);
            other.start();
            chaos.await("another waits to lead", () -> other.state().equals("standby"));
            gate.holdAt(KafkaGate.Point.FIRST_RECORD);
            gate.awaitHeld();
            held.freeze();
            chaos.await("another leads", other::isStreaming);
            chaos.awaitBatches(1);
            boolean frozen = held.isFrozen();
            gate.open();
            held.thaw();
            chaos.fault(
                    "SIGSTOP to " + held.name() + " beyond its lease", frozen, "another published its batch meanwhile");
            chaos.pause(LEASE);
            held.terminate();
            chaos.world().removeRelay(held);
        }
    }

    /** Its commit is held back until the coordinator has given the transaction up. */
    private static void transactionTimesOut(Chaos chaos) throws Exception {
        String bootstrapServers = chaos.world().bootstrapServers();
        try (KafkaGate gate = KafkaGate.before(bootstrapServers);
                Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers))) {
            RelayNode held = lead(chaos, gate);
            gate.holdAt(KafkaGate.Point.COMMIT);
            gate.awaitHeld();
            held.freeze();
            chaos.await(
                    "the coordinator aborts",
                    () -> admin.describeTransactions(List.of(TRANSACTIONAL_ID))
                                    .description(TRANSACTIONAL_ID)
                                    .get()
                                    .state()
                            == TransactionState.COMPLETE_ABORT);
            chaos.fired("a transaction times out", "the coordinator has aborted it");
            gate.open();
            held.thaw();
            chaos.awaitBatches(1);
            held.kill();
            chaos.world().removeRelay(held);
        }
        chaos.world().relays().get(0).start();
    }

    private static void openAcrossRestart(Chaos chaos) throws Exception {
        try (Connection open = chaos.world().servers().outbox().connect(World.OUTBOX)) {
            open.setAutoCommit(false);
            open.createStatement().execute("CREATE TABLE chaos.open_across_restart (n int)");
            RelayNode leader = chaos.leader();
            chaos.killAndRestart(leader);
            chaos.leader();
            chaos.awaitBatches(2);
            open.commit();
            chaos.fired("a transaction open across a restart", "it has committed after it");
        }
    }

    private static void ddl(Chaos chaos, World world) throws Exception {
        for (String sql : List.of(
                "ALTER TABLE outbox.message ADD COLUMN note text",
                "ALTER TABLE outbox.message RENAME COLUMN note TO remark",
                "ALTER TABLE outbox.message DROP COLUMN remark",
                "CREATE TABLE outbox.message_far PARTITION OF outbox.message FOR VALUES FROM ('2099-01-01') TO ('2099-01-02')",
                "ALTER TABLE outbox.message DETACH PARTITION outbox.message_far",
                "DROP TABLE outbox.message_far")) {
            world.servers().sql(World.OUTBOX, "SET lock_timeout = '20s'", sql);
            chaos.fired(sql, "it was committed");
            chaos.awaitBatches(2);
        }
        chaos.killAndRestart(chaos.leader());
    }
}
