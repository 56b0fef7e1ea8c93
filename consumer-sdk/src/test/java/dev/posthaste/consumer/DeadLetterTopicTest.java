package dev.posthaste.consumer;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

import ch.qos.logback.classic.Level;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
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

    private final AtomicInteger calls = new AtomicInteger();
    private final AtomicReference<CountDownLatch> gate = new AtomicReference<>(new CountDownLatch(0));
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
            calls.incrementAndGet();
            gate.get().await();
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

            show(
                    scene,
                    true,
                    () -> {
                        scene.admin.deleteTopics(List.of(topic)).all().get();
                        publishNext(scene);
                    },
                    () -> scene.admin
                            .createTopics(List.of(new NewTopic(topic, 1, (short) 1)))
                            .all()
                            .get());
            AclBinding denial = new AclBinding(
                    new ResourcePattern(ResourceType.TOPIC, topic, PatternType.LITERAL),
                    new AccessControlEntry("User:*", "*", AclOperation.WRITE, AclPermissionType.DENY));
            show(
                    scene,
                    true,
                    () -> {
                        scene.admin.createAcls(List.of(denial)).all().get();
                        publishNext(scene);
                    },
                    () -> scene.admin
                            .deleteAcls(List.of(denial.toFilter()))
                            .all()
                            .get());
            show(
                    scene,
                    false,
                    () -> {
                        gate.set(new CountDownLatch(1));
                        int before = calls.get();
                        publishNext(scene);
                        soon().until(() -> calls.get() > before);
                        kafka.stop();
                        gate.get().countDown();
                    },
                    kafka::start);
            assertThat(consumer.health().stopped()).isEmpty();
        }
    }

    /** The next loans: one in five is a dead letter, one in five is retried. */
    private void publishNext(Scene scene) {
        int from = round * PER_ROUND + 1;
        round++;
        scene.publish(
                "due-notice",
                0,
                IntStream.range(from, from + PER_ROUND)
                        .mapToObj(n -> TestMessage.of(new Loan("member-" + n, n)))
                        .toList());
    }

    /**
     * While it is broken in some way the topic takes no record, and as soon as it is mended it has all of them.
     *
     * @param othersGoOn whether the other topics are there meanwhile
     */
    private void show(Scene scene, boolean othersGoOn, Act breakAndPublish, Act mend) throws Exception {
        try (LogLines log = new LogLines()) {
            breakAndPublish.run();
            int dead = round * PER_ROUND / 5;
            soon().until(() -> scene.inState("due-notice", "dead-letter") == dead);
            if (othersGoOn) {
                awaitOthers(scene, dead);
            }
            soon().until(() -> scene.query("SELECT message_id FROM inbox.outgoing WHERE emit_failures > 0"
                                    + " AND route = 'dead-letter'")
                            .size()
                    == PER_ROUND / 5);
            soon().until(() -> log.at(Level.ERROR).stream()
                    .anyMatch(line -> line.contains("could not be put on its dead-letter topic")));

            mend.run();
            awaitOthers(scene, dead);
            soon().until(() -> scene.query("SELECT message_id FROM inbox.outgoing WHERE emitted_at IS NOT NULL")
                            .size()
                    == dead);
            soon().until(() -> log.at(Level.INFO).stream()
                    .anyMatch(line -> line.contains("dead-letter topic takes records again")));
            assertThat(scene.deadLetters("due-notice").stream()
                            .map(letter -> Scene.header(letter, MessageHeaders.CE_ID)))
                    .containsAll(scene.query("SELECT message_id FROM inbox.outgoing WHERE route = 'dead-letter'"));
        }
    }

    private void awaitOthers(Scene scene, int dead) {
        soon().until(() -> scene.completed("due-notice").size() == round * PER_ROUND - dead);
        soon().until(() -> {
            Long committed = scene.committed("due-notice", 0);
            return committed != null && committed >= (long) round * PER_ROUND;
        });
    }
}
