package dev.posthaste.chaos.scenario;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;

import dev.posthaste.chaos.world.RelayNode;
import dev.posthaste.chaos.world.SlotSync;
import dev.posthaste.chaos.world.SmallDisk;
import dev.posthaste.chaos.world.World;
import dev.posthaste.testkit.EmbeddedPostgres;
import dev.posthaste.testkit.StopMode;
import dev.posthaste.testkit.faults.BrokerProcess;
import dev.posthaste.testkit.faults.StoreLink;

import static dev.posthaste.chaos.scenario.Scenario.of;

/** What happens to PostgreSQL, to Kafka and to the ways there. */
final class StoreScenarios {

    private static final String STANDBY = "standby_1";

    private StoreScenarios() {}

    static List<Scenario> all() {
        return List.of(
                of("broker-restarted", "the broker shuts down cleanly and comes back", chaos -> {
                    broker(chaos).terminate();
                    chaos.fault("SIGTERM to the broker", !broker(chaos).isAlive(), "its process is gone");
                    chaos.pause(Duration.ofSeconds(2));
                    broker(chaos).startAgain();
                }),
                of("broker-killed", "the broker, coordinator of the open transaction, is killed", chaos -> {
                    for (int i = 0; i < 2; i++) {
                        chaos.leader();
                        chaos.await("messages wait", () -> chaos.pending() > 0);
                        broker(chaos).kill();
                        chaos.fault("SIGKILL to the broker", !broker(chaos).isAlive(), "its process is gone");
                        chaos.pause(Duration.ofSeconds(1));
                        broker(chaos).startAgain();
                    }
                }),
                of("broker-down", "the broker is down for five minutes", chaos -> {
                            Duration time = chaos.scale().of(Duration.ofSeconds(15), Duration.ofMinutes(5));
                            broker(chaos).kill();
                            chaos.fault(
                                    "the broker is down for " + time,
                                    !broker(chaos).isAlive(),
                                    "its process is gone");
                            chaos.pause(time);
                            broker(chaos).startAgain();
                        })
                        .recoveringWithin(Duration.ofMinutes(2)),
                of("broker-frozen", "SIGSTOP to the broker", chaos -> {
                    broker(chaos).freeze();
                    chaos.pause(Duration.ofSeconds(8));
                    chaos.fault("SIGSTOP to the broker for 8 s", broker(chaos).isAlive(), "it lived through it");
                    broker(chaos).thaw();
                }),
                of("postgres-stopped-immediately", "PostgreSQL stops without a checkpoint", stop(StopMode.IMMEDIATE)),
                of("postgres-stopped-fast", "PostgreSQL ends all sessions and stops", stop(StopMode.FAST)),
                of("postgres-stopped-smart", "PostgreSQL waits for its clients, who leave one by one", chaos -> {
                    Thread leaving = new Thread(() -> chaos.world().links().forEach(StoreLink::refuse), "chaos-leave");
                    leaving.start();
                    outbox(chaos).stop(StopMode.SMART);
                    leaving.join();
                    chaos.fault("a smart stop", !outbox(chaos).isRunning(), "it has stopped");
                    outbox(chaos).start();
                }),
                of("postgres-killed", "PostgreSQL and all its processes are killed", chaos -> {
                    outbox(chaos).killHard();
                    chaos.fault("SIGKILL to PostgreSQL", !outbox(chaos).isRunning(), "it does not run");
                    outbox(chaos).start();
                }),
                of("failover-with-synced-slot", "the primary dies; the promoted standby has the slot", chaos -> {
                    replicate(chaos);
                    syncSlot(chaos);
                    chaos.awaitBatches(3);
                    failOver(chaos);
                }),
                of("failover-without-slot", "the promoted standby lacks the slot: halted with that cause", chaos -> {
                            replicate(chaos);
                            failOver(chaos);
                        })
                        .halting("SLOT_MISSING"),
                of(
                                "failover-lacking-commits",
                                "the promoted standby lacks commits that were published: halted with that cause",
                                StoreScenarios::failOverLackingCommits)
                        .wherePostgresMayLose()
                        .halting("DATABASE_OLDER_THAN_POSITION"),
                of("restored-backup", "the database is restored from a backup: halted with that cause", chaos -> {
                            outbox(chaos).stop(StopMode.FAST);
                            Path backup = outbox(chaos).backUp();
                            outbox(chaos).start();
                            chaos.leader();
                            chaos.awaitWhatIsStagedNext();
                            chaos.world().load().terminate(); // or new WAL hides how much is missing
                            outbox(chaos).stop(StopMode.FAST);
                            outbox(chaos).restore(backup);
                            outbox(chaos).start();
                            chaos.fired("a backup is restored", "from before a message that was published");
                        })
                        .wherePostgresMayLose()
                        .halting("DATABASE_OLDER_THAN_POSITION"),
                of(
                                "slot-dropped",
                                "the slot is dropped: halted with that cause",
                                slot("SELECT" + " pg_drop_replication_slot('" + World.SLOT + "')"))
                        .halting("SLOT_MISSING"),
                of(
                                "slot-made-anew",
                                "the slot is dropped and made anew: halted with that cause",
                                slot(
                                        "SELECT" + " pg_drop_replication_slot('" + World.SLOT + "')",
                                        "SELECT" + " pg_create_logical_replication_slot('" + World.SLOT
                                                + "', 'pgoutput')"))
                        .halting("SLOT_BEYOND_ACK"),
                of(
                                "slot-advanced",
                                "the slot is advanced past unpublished rows: halted with that cause",
                                slot("SELECT" + " pg_replication_slot_advance('" + World.SLOT
                                        + "', pg_current_wal_lsn())"))
                        .halting("SLOT_BEYOND_ACK"),
                of("slot-invalidated", "the slot's WAL is gone: halted with that cause", StoreScenarios::invalidate)
                        .halting("SLOT_INVALIDATED"),
                of("position-lost", "the topic with the position is made anew: halted with that cause", chaos -> {
                            RelayNode leader = chaos.leader();
                            chaos.kill(leader);
                            remakeTopic(
                                    chaos, chaos.world().settings().namespace().positionTopic(), 1);
                            chaos.fired("the position is lost", "its topic was made anew");
                            leader.start();
                        })
                        .halting("POSITION_MISSING"),
                of("postgres-disk-full", "PostgreSQL's disk is full for a while", StoreScenarios::postgresDiskFull)
                        .with(setup -> setup.withSmallDisks(true))
                        .unless(SmallDisk::obstacle),
                of("kafka-disk-full", "Kafka's disk is full for a while", StoreScenarios::kafkaDiskFull)
                        .with(setup -> setup.withSmallDisks(true))
                        .unless(SmallDisk::obstacle),
                of("slow-network", "every way has latency and little width", chaos -> {
                    chaos.world().links().forEach(link -> link.slow(Duration.ofMillis(60), 1 << 20));
                    chaos.fired(
                            "latency of 60 ms each way",
                            "on " + chaos.world().links().size() + " links");
                    chaos.awaitBatches(3);
                    chaos.killAndRestart(chaos.leader());
                    chaos.awaitBatches(3);
                }),
                of(
                        "postgres-half-open",
                        "nothing is heard from PostgreSQL, and nobody is told",
                        chaos -> chaos.stall(
                                "PostgreSQL for the leader",
                                chaos.world().toPostgres(chaos.leader()),
                                Duration.ofSeconds(12))),
                of(
                        "kafka-half-open",
                        "nothing is heard from Kafka, and nobody is told",
                        chaos -> chaos.stall(
                                "Kafka for the leader", chaos.world().toKafka(chaos.leader()), Duration.ofSeconds(12))),
                of("clock-jumps", "the clock of a relay's machine jumps", StoreScenarios::clockJumps)
                        .unless(ClockJump::obstacle));
    }

    private static EmbeddedPostgres outbox(Chaos chaos) {
        return chaos.world().servers().outbox();
    }

    private static BrokerProcess broker(Chaos chaos) {
        return chaos.world().servers().broker();
    }

    private static Scenario.Script stop(StopMode mode) {
        return chaos -> {
            for (int i = 0; i < 2; i++) {
                chaos.leader();
                chaos.awaitBatches(2);
                outbox(chaos).stop(mode);
                chaos.fault("PostgreSQL stops, " + mode, !outbox(chaos).isRunning(), "it does not run");
                chaos.pause(Duration.ofSeconds(1));
                outbox(chaos).start();
            }
        };
    }

    /** Commits wait for the standby: what the server has confirmed is there after a failover. */
    private static void replicate(Chaos chaos) throws Exception {
        EmbeddedPostgres standby = chaos.world().servers().launchStandby(STANDBY);
        holdSlotsBack(chaos, STANDBY);
        chaos.world()
                .servers()
                .sql(
                        "postgres",
                        "ALTER SYSTEM SET synchronous_standby_names = '" + STANDBY + "'",
                        "SELECT pg_reload_conf()");
        chaos.await(
                "commits wait for the standby " + standby.port(),
                () -> chaos.world().outboxNumber("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'")
                        == 1);
    }

    /** No logical slot is ahead of that standby. */
    private static void holdSlotsBack(Chaos chaos, String standby) throws Exception {
        chaos.world()
                .servers()
                .sql(
                        "postgres",
                        "ALTER SYSTEM SET synchronized_standby_slots = '" + standby + "'",
                        "SELECT pg_reload_conf()");
    }

    private static void syncSlot(Chaos chaos) throws Exception {
        try (SlotSync sync = chaos.world().servers().slotSync()) {
            chaos.await("the slot is synced", () -> {
                chaos.world().servers().sql("postgres", "SELECT pg_log_standby_snapshot()");
                return sync.isSynced(World.SLOT);
            });
        }
    }

    private static void failOver(Chaos chaos) {
        chaos.world().servers().failOver();
        chaos.world().followTheOutbox();
        chaos.fired("the primary is killed and the standby promoted", "it serves on another port");
    }

    private static void failOverLackingCommits(Chaos chaos) throws Exception {
        EmbeddedPostgres standby = chaos.world().servers().launchStandby(STANDBY);
        holdSlotsBack(chaos, STANDBY);
        syncSlot(chaos);
        holdSlotsBack(chaos, "");
        standby.stop(StopMode.FAST);
        chaos.awaitWhatIsStagedNext();
        chaos.world().servers().killPrimary(); // before the standby can ask it for what it lacks
        standby.start();
        failOver(chaos);
    }

    private static Scenario.Script slot(String... statements) {
        return chaos -> {
            RelayNode leader = chaos.leader();
            chaos.kill(leader);
            chaos.await("messages wait", () -> chaos.pending() > 0);
            chaos.await(
                    "nobody streams",
                    () -> chaos.world().outboxNumber("SELECT count(*) FROM pg_replication_slots WHERE active") == 0);
            chaos.world().servers().sql(World.OUTBOX, statements);
            chaos.fired(String.join("; ", statements), "it was executed");
            leader.start();
        };
    }

    private static void invalidate(Chaos chaos) throws Exception {
        RelayNode leader = chaos.leader();
        chaos.kill(leader);
        chaos.world()
                .servers()
                .sql(
                        "postgres",
                        "ALTER SYSTEM SET max_slot_wal_keep_size = '1MB'",
                        "ALTER SYSTEM SET max_wal_size = '32MB'",
                        "ALTER SYSTEM SET min_wal_size = '32MB'",
                        "SELECT pg_reload_conf()");
        chaos.await("the slot's WAL is removed", () -> {
            chaos.world().servers().sql(World.OUTBOX, "SELECT pg_switch_wal()", "CHECKPOINT");
            return chaos.world()
                            .outboxNumber("SELECT count(*) FROM pg_replication_slots WHERE wal_status = 'lost'"
                                    + " AND slot_name = '" + World.SLOT + "'")
                    == 1;
        });
        chaos.fired("the slot is invalidated", "its wal_status is lost");
        leader.start();
    }

    /** Deletes a topic and makes it again, empty, with the settings it had. */
    static void remakeTopic(Chaos chaos, String topic, int partitions) throws ExecutionException, InterruptedException {
        try (Admin admin =
                Admin.create(Map.of("bootstrap.servers", broker(chaos).bootstrapServers()))) {
            admin.deleteTopics(List.of(topic)).all().get();
            chaos.await(topic + " is made again", () -> {
                admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 1)))
                        .all()
                        .get();
                return true;
            });
        }
    }

    private static void clockJumps(Chaos chaos) throws Exception {
        String library = ClockJump.library().orElseThrow().toString();
        chaos.kill(chaos.leader());
        RelayNode ahead = chaos.world()
                .addRelay("relay-ahead", Map.of("LD_PRELOAD", library, "FAKETIME", "+2h", "DONT_FAKE_MONOTONIC", "1"));
        ahead.start();
        chaos.await("it leads with its clock two hours ahead", ahead::isStreaming);
        chaos.fired("a relay's clock is two hours ahead", "it leads");
        chaos.awaitBatches(3);
        ahead.kill();
        chaos.world().removeRelay(ahead);
    }

    private static void postgresDiskFull(Chaos chaos) throws Exception {
        SmallDisk disk = chaos.world().servers().outboxDisk();
        disk.fill();
        chaos.await("nothing can be committed", () -> chaos.world().servers().isOutboxFull());
        chaos.fired("PostgreSQL's disk is full", disk.free() + " bytes are free");
        chaos.pause(Duration.ofSeconds(3));
        disk.empty();
    }

    private static void kafkaDiskFull(Chaos chaos) throws Exception {
        SmallDisk disk = chaos.world().servers().brokerDisk();
        disk.fill();
        chaos.fired("Kafka's disk is full", disk.free() + " bytes are free");
        chaos.pause(Duration.ofSeconds(10));
        disk.empty();
        if (!broker(chaos).isAlive()) {
            broker(chaos).startAgain();
        }
    }
}
