package dev.posthaste.consumer;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.IntStream;

import ch.qos.logback.classic.Level;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;

import dev.posthaste.schemas.MessageHeaders;
import dev.posthaste.testkit.EmbeddedKafka;
import dev.posthaste.testkit.PostgresServer;
import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.ReportedCase;
import dev.posthaste.testkit.ServerSettings;

import static dev.posthaste.consumer.Handler.handler;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@PosthasteStack
class DeadLetterTopicTest {

    private static final ServerSettings WITH_ACLS = ServerSettings.defaults()
            .withOptions(Map.of(
                    "authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
                    "allow.everyone.if.no.acl.found", "true"));

    private static final int PER_ROUND = 10;

    private int round;

    @FunctionalInterface
    private interface Act {
        void run() throws Exception;
    }

    private static ConditionFactory soon() {
        return await().atMost(Duration.ofSeconds(60));
    }

    private static boolean isDead(int n) {
        return n % 5 == 0;
    }

    private static boolean isRetried(int n) {
        return n % 5 == 1;
    }

    @ReportedCase(29)
    @Test
    void aDeadLetterTopicThatIsMissingForbiddenOrDownStallsNothingAndLosesNothing(PostgresServer postgres)
            throws Exception {
        Handler picky = handler("due-notice").on(Loan.TYPE, 1, Loan.class).decide((event, tx) -> {
            int n = event.payload().n();
            if (isDead(n)) {
                return Outcome.dead("no-such-copy", "as the test wants it");
            }
            if (isRetried(n) && tx.delivery().attempt() == 1) {
                return Outcome.retryAfter(Duration.ofMillis(100));
            }
            Scene.write("due-notice", event, tx);
            return Outcome.done();
        });
        try (EmbeddedKafka kafka = EmbeddedKafka.launch(WITH_ACLS);
                Scene scene = Scene.open(new OwnStack(postgres, kafka), 1, "due-notice")) {
            PosthasteConsumer consumer = scene.start(picky);
            String topic = scene.topic("due-notice") + ".dlt";

            show(scene, () -> scene.admin.deleteTopics(List.of(topic)).all().get(), () -> scene.admin
                    .createTopics(List.of(new NewTopic(topic, 1, (short) 1)))
                    .all()
                    .get());
            // The topic is new, so what was on it before is gone; from here on nothing takes that away.
            AclBinding denial = new AclBinding(
                    new ResourcePattern(ResourceType.TOPIC, topic, PatternType.LITERAL),
                    new AccessControlEntry("User:*", "*", AclOperation.WRITE, AclPermissionType.DENY));
            show(scene, () -> scene.admin.createAcls(List.of(denial)).all().get(), () -> scene.admin
                    .deleteAcls(List.of(denial.toFilter()))
                    .all()
                    .get());
            show(scene, () -> replicas(scene, topic, "2"), () -> replicas(scene, topic, "1"));
            assertThat(consumer.health().stopped()).isEmpty();
        }
    }

    /** Broken in some way the topic takes no record; as soon as it is mended it has all of them. */
    private void show(Scene scene, Act breakIt, Act mendIt) throws Exception {
        try (LogLines log = new LogLines()) {
            int from = round * PER_ROUND + 1;
            round++;
            int dead = round * PER_ROUND / 5;
            breakIt.run();
            List<TestMessage> loans = IntStream.range(from, from + PER_ROUND)
                    .mapToObj(n -> TestMessage.of(new Loan("member-" + n, n)))
                    .toList();
            scene.publish("due-notice", 0, loans);

            soon().until(() -> scene.inState("due-notice", "dead-letter") == dead);
            soon().until(() -> scene.completed("due-notice").size() == round * PER_ROUND - dead);
            soon().until(() -> {
                Long committed = scene.committed("due-notice", 0);
                return committed != null && committed >= (long) round * PER_ROUND;
            });
            soon().until(() -> scene.query("SELECT message_id FROM inbox.outgoing WHERE emit_failures > 0")
                            .size()
                    == PER_ROUND / 5);
            soon().until(() -> log.at(Level.ERROR).stream()
                    .anyMatch(line -> line.contains("could not be put on its dead-letter topic")));

            mendIt.run();
            soon().until(() -> scene.query("SELECT message_id FROM inbox.outgoing WHERE emitted_at IS NOT NULL")
                            .size()
                    == dead);
            soon().until(() -> log.at(Level.INFO).stream().anyMatch(line -> line.contains("takes records again")));
            assertThat(scene.deadLetters("due-notice").stream()
                            .map(letter -> Scene.header(letter, MessageHeaders.CE_ID)))
                    .containsAll(new TreeSet<>(
                            scene.query("SELECT message_id FROM inbox.outgoing WHERE route = 'dead-letter'")));
        }
    }

    private static void replicas(Scene scene, String topic, String min) throws Exception {
        scene.admin
                .incrementalAlterConfigs(Map.of(
                        new ConfigResource(ConfigResource.Type.TOPIC, topic),
                        List.of(new AlterConfigOp(
                                new ConfigEntry("min.insync.replicas", min), AlterConfigOp.OpType.SET))))
                .all()
                .get();
    }
}
