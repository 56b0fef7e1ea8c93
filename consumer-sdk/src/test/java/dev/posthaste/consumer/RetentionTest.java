package dev.posthaste.consumer;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.config.ConfigResource;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;

import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.ReportedCase;
import dev.posthaste.testkit.Stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The inbox must remember longer than the topics keep. */
@PosthasteStack
class RetentionTest {

    private static ConditionFactory soon() {
        return await().atMost(Duration.ofSeconds(30));
    }

    private static void set(Scene scene, String topic, String name, String value) throws Exception {
        scene.admin
                .incrementalAlterConfigs(Map.of(
                        new ConfigResource(ConfigResource.Type.TOPIC, topic),
                        List.of(new AlterConfigOp(new ConfigEntry(name, value), AlterConfigOp.OpType.SET))))
                .all()
                .get();
    }

    private static PosthasteConsumer.Builder keeping(Scene scene, Duration retention) {
        return scene.builder(Scene.writing("due-notice"))
                .settings(ConsumerSettings.defaults()
                        .withRetention(retention)
                        .withSessionTimeout(Duration.ofSeconds(6))
                        .withStoreBackoffMax(Duration.ofMillis(200)));
    }

    @ReportedCase(37)
    @Test
    void anInboxThatForgetsBeforeTheTopicDoesReadsNothingAndSaysBothValues(Stack stack) throws Exception {
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            set(
                    scene,
                    scene.topic("due-notice"),
                    "retention.ms",
                    "" + Duration.ofDays(20).toMillis());
            scene.publish("due-notice", 0, TestMessage.of(new Loan("ada", 1)));
            PosthasteConsumer consumer = scene.start(keeping(scene, Duration.ofDays(25)));
            soon().until(() -> !consumer.health().stopped().isEmpty());
            assertThat(consumer.health().isReady()).isFalse();
            assertThat(consumer.health().stopped()).singleElement().satisfies(stopped -> {
                assertThat(stopped.reason()).isEqualTo(StopReason.RETENTION_TOO_SHORT);
                assertThat(stopped.topic()).isEqualTo(scene.topic("due-notice"));
                assertThat(stopped.partition()).isEqualTo(StoppedPartition.ALL);
                assertThat(stopped.summary()).contains("PT600H", "PT648H", "retention.ms PT480H");
            });
            assertThat(scene.meters.get("posthaste.partitions.stopped").gauge().value())
                    .isEqualTo(1);
            soon().until(() -> scene.members("due-notice.retry") == 1); // the other topic is read
            assertThat(scene.members("due-notice")).isZero();
            assertThat(scene.effects("due-notice")).isEmpty();

            set(
                    scene,
                    scene.topic("due-notice"),
                    "retention.ms",
                    "" + Duration.ofDays(18).toMillis());
            soon().until(() -> scene.effects("due-notice").size() == 1);
            soon().until(() -> consumer.health().isReady());
            assertThat(scene.query("SELECT handler || ' ' || kept FROM inbox.retention"))
                    .containsExactly("due-notice 600:00:00");
        }
    }

    @Test
    void aTopicThatKeepsItsRecordsForEverAsksForAnInboxThatDoes(Stack stack) throws Exception {
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            set(scene, scene.topic("due-notice") + ".retry", "retention.ms", "-1");
            scene.publish("due-notice", 0, TestMessage.of(new Loan("ada", 1)));
            PosthasteConsumer short30 = scene.start(keeping(scene, Duration.ofDays(30)));
            soon().until(() -> !short30.health().stopped().isEmpty());
            assertThat(short30.health().stopped().get(0).summary())
                    .contains("PT720H", "for ever", "ConsumerSettings.FOREVER");
            short30.close();
            PosthasteConsumer forever = scene.start(keeping(scene, ConsumerSettings.FOREVER));
            soon().until(() -> forever.health().isReady());
            soon().until(() -> scene.query("SELECT handler FROM inbox.retention WHERE kept IS NULL")
                    .equals(List.of("due-notice")));
        }
    }

    private static void make(Scene scene, String topic, Map<String, String> configuration) throws Exception {
        scene.admin
                .createTopics(List.of(new NewTopic(topic, 1, (short) 1).configs(configuration)))
                .all()
                .get();
    }

    @Test
    void aTopicThatIsMadeAnewIsAskedAnewHowLongItKeepsItsRecords(Stack stack) throws Exception {
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            String topic = scene.topic("due-notice");
            PosthasteConsumer consumer = scene.start(keeping(scene, Duration.ofDays(30)));
            soon().until(() -> consumer.health().isReady());
            scene.admin.deleteTopics(List.of(topic)).all().get();
            soon().until(() -> !consumer.health().isReady());
            make(scene, topic, Map.of("retention.ms", "-1"));
            soon().until(() -> !consumer.health().stopped().isEmpty());
            assertThat(consumer.health().stopped().get(0).reason()).isEqualTo(StopReason.RETENTION_TOO_SHORT);
        }
    }

    @Test
    void aTopicThatIsMissingIsNamedAlsoWhereTheInboxKeepsForEver(Stack stack) throws Exception {
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            String topic = scene.topic("due-notice");
            scene.admin.deleteTopics(List.of(topic)).all().get();
            PosthasteConsumer consumer = scene.start(keeping(scene, ConsumerSettings.FOREVER));
            soon().untilAsserted(
                            () -> assertThat(consumer.health().handlers().get(0).kafkaProblem())
                                    .contains("there is no topic " + topic));
            assertThat(consumer.health().isReady()).isFalse();
            make(scene, topic, Map.of());
            soon().until(() -> consumer.health().isReady());
            scene.publish("due-notice", 0, TestMessage.of(new Loan("ada", 1)));
            soon().until(() -> scene.effects("due-notice").size() == 1);
        }
    }
}
