package dev.posthaste.chaos.scenario;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;

import dev.posthaste.chaos.world.ProcessNode;
import dev.posthaste.chaos.world.World;
import dev.posthaste.schemas.Namespace;

import static dev.posthaste.chaos.scenario.Scenario.of;
import static java.util.stream.Collectors.toMap;

/** What happens to consumers, their inbox, their topics and the provider they call. */
final class ConsumerScenarios {

    /** The members' session time-out. */
    private static final Duration SESSION = Duration.ofSeconds(6);

    private ConsumerScenarios() {}

    static List<Scenario> all() {
        return List.of(
                of(
                                "consumers-killed-at-random",
                                "members are killed in turn every few seconds, handlers fail",
                                chaos -> {
                                    Instant end =
                                            Instant.now().plus(chaos.scale().random());
                                    while (Instant.now().isBefore(end)) {
                                        ProcessNode member = any(chaos);
                                        chaos.awaitEffects(20);
                                        chaos.kill(member);
                                        member.start();
                                        chaos.pauseAbout(Duration.ofSeconds(2));
                                    }
                                })
                        .with(setup -> setup.withFailShare(0.1))
                        .shortTier(),
                of(
                        "consumer-killed-before-offset-commit",
                        "effects are committed and their offsets are not when it is killed",
                        ConsumerScenarios::killedBeforeOffsets),
                of(
                                "consumer-killed-before-retry-emission",
                                "failed attempts are written down and not emitted when it is killed",
                                ConsumerScenarios::killedBeforeEmission)
                        .with(setup -> setup.withFailShare(0.5).withConsumers(1)),
                of("consumer-frozen-beyond-its-lease", "SIGSTOP beyond session and lease; others go on", chaos -> {
                    ProcessNode member = any(chaos);
                    chaos.awaitEffects(10);
                    chaos.freeze(member, SESSION.multipliedBy(2));
                    chaos.awaitEffects(10);
                }),
                of("rebalance-storm", "members come and go all the time", chaos -> {
                            Instant end = Instant.now().plus(chaos.scale().random());
                            while (Instant.now().isBefore(end)) {
                                ProcessNode member = any(chaos);
                                boolean drained = member.terminate();
                                chaos.fault("SIGTERM to " + member.name(), drained, "it drained and left");
                                member.start();
                                chaos.pauseAbout(Duration.ofMillis(700));
                            }
                        })
                        .with(setup -> setup.withConsumers(3)),
                of("inbox-away", "the inbox's database stops for a while", chaos -> {
                    chaos.awaitEffects(10);
                    chaos.world().servers().inbox().killHard();
                    chaos.fired("the inbox's database is away", "all its processes are killed");
                    chaos.pause(chaos.scale().of(Duration.ofSeconds(8), Duration.ofSeconds(60)));
                    chaos.world().servers().inbox().start();
                }),
                of("consumers-cut-from-kafka", "members lose Kafka, half of them half open", chaos -> {
                    chaos.stall("Kafka for a member", chaos.world().toKafka(any(chaos)), SESSION.plusSeconds(2));
                    chaos.refuse("Kafka for a member", chaos.world().toKafka(any(chaos)), SESSION.plusSeconds(2));
                }),
                of("retry-topic-gone", "a retry topic is deleted while retries wait, and made again", chaos -> {
                            String topic = World.NAMESPACE + ".statistics.retry";
                            chaos.await("retries wait", () -> waiting(chaos) > 0);
                            StoreScenarios.remakeTopic(chaos, topic, 4);
                            chaos.fired(topic + " is deleted and made again", "while " + waiting(chaos) + " waited");
                        })
                        .with(setup -> setup.withFailShare(0.3)),
                of(
                        "retry-and-dead-letter-topics-refuse",
                        "neither retries nor dead letters are taken for a while",
                        ConsumerScenarios::topicsRefuse),
                of("provider-fails-for-all", "the provider refuses every call for a while", chaos -> {
                    chaos.world().provider().failForAll(true);
                    chaos.await(
                            "a call is refused", () -> chaos.world().provider().refused() > 0);
                    chaos.fired(
                            "the provider refuses all", chaos.world().provider().refused() + " calls were refused");
                    chaos.pause(chaos.scale().of(Duration.ofSeconds(8), Duration.ofSeconds(60)));
                    chaos.world().provider().heal();
                }),
                of("provider-fails-for-some", "the provider refuses some messages again and again", chaos -> {
                    chaos.world().provider().failForShare(0.05);
                    chaos.await(
                            "a call is refused", () -> chaos.world().provider().refused() > 0);
                    chaos.fired(
                            "the provider refuses some",
                            chaos.world().provider().refused() + " calls were refused");
                    chaos.pause(Duration.ofSeconds(4));
                    chaos.world().provider().heal();
                }),
                new RepairScenario().killedDuringRepair(),
                new ReplayScenario().killedDuringReplay());
    }

    private static ProcessNode any(Chaos chaos) {
        List<ProcessNode> alive =
                chaos.world().consumers().stream().filter(ProcessNode::isAlive).toList();
        return alive.get(chaos.random().nextInt(alive.size()));
    }

    private static long waiting(Chaos chaos) throws Exception {
        return chaos.world()
                .inboxNumber("SELECT count(*) FROM inbox.outgoing WHERE handler = 'statistics' AND route = 'retry'");
    }

    /** Its way to Kafka is half open: what was fetched is handled and committed, and no offset is. */
    private static void killedBeforeOffsets(Chaos chaos) throws Exception {
        ProcessNode member = any(chaos);
        chaos.awaitEffects(10);
        long before = chaos.effects();
        chaos.world().toKafka(member).stall();
        chaos.await("effects without offsets", () -> chaos.effects() > before);
        chaos.pause(Duration.ofMillis(300));
        member.kill();
        chaos.world().toKafka(member).heal();
        chaos.fired("SIGKILL to " + member.name() + " before its offset commits", "Kafka heard nothing of it since");
        member.start();
    }

    private static void killedBeforeEmission(Chaos chaos) throws Exception {
        ProcessNode member = any(chaos);
        chaos.awaitEffects(10);
        chaos.world().toKafka(member).stall();
        chaos.await(
                "attempts are written down and not emitted",
                () -> chaos.world()
                                .inboxNumber(
                                        "SELECT count(*) FROM inbox.outgoing WHERE route = 'retry' AND emitted_at IS NULL")
                        > 0);
        member.kill();
        chaos.world().toKafka(member).heal();
        chaos.fired("SIGKILL to " + member.name() + " before its retries are emitted", "they wait in inbox.outgoing");
        member.start();
    }

    /** No record is small enough for them; what failed and what is dead must be kept, and emitted later. */
    private static void topicsRefuse(Chaos chaos) throws Exception {
        String bootstrapServers = chaos.world().bootstrapServers();
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers))) {
            limitRecords(admin, AlterConfigOp.OpType.SET);
            chaos.world().remakeConsumers(0.2);
            chaos.await(
                    "both refuse",
                    () -> chaos.world()
                                    .inboxNumber("SELECT count(DISTINCT route) FROM inbox.outgoing"
                                            + " WHERE handler = 'statistics' AND emit_failures > 0")
                            == 2);
            chaos.fired("retry and dead-letter topic take no record", "some of each route were refused");
            chaos.pause(chaos.scale().of(Duration.ofSeconds(3), Duration.ofSeconds(60)));
            limitRecords(admin, AlterConfigOp.OpType.DELETE);
        }
    }

    private static void limitRecords(Admin admin, AlterConfigOp.OpType operation) throws Exception {
        Namespace namespace = new Namespace(World.NAMESPACE);
        var limit = List.of(new AlterConfigOp(new ConfigEntry(TopicConfig.MAX_MESSAGE_BYTES_CONFIG, "1"), operation));
        admin.incrementalAlterConfigs(Stream.of(
                                namespace.retryTopic("statistics"), namespace.deadLetterTopic("statistics"))
                        .collect(toMap(topic -> new ConfigResource(ConfigResource.Type.TOPIC, topic), topic -> limit)))
                .all()
                .get();
    }
}
