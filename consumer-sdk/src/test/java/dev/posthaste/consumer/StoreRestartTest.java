package dev.posthaste.consumer;

import java.sql.Statement;
import java.time.Duration;
import java.util.stream.IntStream;

import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;

import dev.posthaste.testkit.EmbeddedKafka;
import dev.posthaste.testkit.EmbeddedPostgres;
import dev.posthaste.testkit.KafkaBroker;
import dev.posthaste.testkit.PostgresServer;
import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.Stack;

import static dev.posthaste.consumer.Handler.handler;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Servers that stop, crash and come back while a consumer runs. */
@PosthasteStack
class StoreRestartTest {

    private static ConditionFactory soon() {
        return await().atMost(Duration.ofSeconds(90));
    }

    /** One server of its own beside the shared other one. */
    private record Pair(PostgresServer postgres, KafkaBroker kafka) implements Stack {
        @Override
        public void close() {}
    }

    private static double gauge(Scene scene, String store) {
        return scene.meters
                .get("posthaste.store.available")
                .tag("store", store)
                .gauge()
                .value();
    }

    private static void publish(Scene scene, int from, int to) {
        for (int partition = 0; partition < 2; partition++) {
            String key = "member-" + partition;
            scene.publish(
                    "due-notice",
                    partition,
                    IntStream.rangeClosed(from, to)
                            .mapToObj(n -> TestMessage.of(new Loan(key, n)))
                            .toList());
        }
    }

    private static Handler slowly() {
        return handler("due-notice").on(Loan.TYPE, 1, Loan.class).handle((event, tx) -> {
            try (Statement statement = tx.connection().createStatement()) {
                statement.execute("SELECT pg_sleep(0.005)");
            }
            Scene.write("due-notice", event, tx);
        });
    }

    private static void everyEffectIsThereOnceAndInOrder(Scene scene, int messages) {
        assertThat(scene.query("SELECT count(*) || ' ' || count(DISTINCT message_id) FROM effect"))
                .containsExactly(messages + " " + messages);
        assertThat(scene.query(
                        "SELECT count(*) FROM (SELECT n, lag(n) OVER (PARTITION BY key ORDER BY seq) AS before FROM effect) e"
                                + " WHERE n <> coalesce(before, 0) + 1"))
                .as("out of order per key")
                .containsExactly("0");
    }

    @Test
    void aBrokerThatComesBackFindsItsConsumer(PostgresServer postgres) throws Exception {
        try (EmbeddedKafka kafka = EmbeddedKafka.launch();
                Scene scene = Scene.open(new Pair(postgres, kafka), 2, "due-notice");
                WarningLog log = new WarningLog()) {
            publish(scene, 1, 100);
            PosthasteConsumer consumer = scene.start(slowly());
            soon().until(() -> scene.effects("due-notice").size() >= 20);
            assertThat(gauge(scene, "kafka")).isEqualTo(1);

            kafka.stop();
            soon().until(() -> gauge(scene, "kafka") == 0);
            assertThat(consumer.health().isReady()).isFalse();
            assertThat(consumer.health().stopped()).isEmpty();
            soon().until(() ->
                    log.lines().stream().anyMatch(line -> line.startsWith("Kafka for topic") && line.contains("paus")));
            await().during(Duration.ofSeconds(3))
                    .atMost(Duration.ofSeconds(10))
                    .until(() -> gauge(scene, "kafka") == 0);
            assertThat(log.lines())
                    .as("a line for the group and one for the offsets of either topic, however long it takes")
                    .hasSizeBetween(1, 4);
            kafka.start();

            publish(scene, 101, 150);
            soon().until(() -> scene.effects("due-notice").size() >= 300);
            soon().until(() -> consumer.health().isReady());
            everyEffectIsThereOnceAndInOrder(scene, 300);
            assertThat(scene.attempts("due-notice", "failed")).isZero();
        }
    }

    @Test
    void aDatabaseThatCrashesUnderLoadKeepsEveryEffectToOne(KafkaBroker kafka) throws Exception {
        try (EmbeddedPostgres postgres = EmbeddedPostgres.launch();
                Scene scene = Scene.open(new Pair(postgres, kafka), 2, "due-notice")) {
            publish(scene, 1, 400);
            PosthasteConsumer consumer = scene.start(slowly());
            for (int crash = 0; crash < 2; crash++) {
                int before = scene.effects("due-notice").size();
                soon().until(() -> scene.effects("due-notice").size() > before + 20);
                assertThat(scene.effects("due-notice")).as("crashed under load").hasSizeLessThan(700);
                postgres.killHard();
                soon().until(() -> gauge(scene, "inbox") == 0);
                postgres.start();
            }
            soon().until(() -> scene.effects("due-notice").size() >= 800);
            everyEffectIsThereOnceAndInOrder(scene, 800);
            assertThat(consumer.health().stopped()).isEmpty();
            assertThat(scene.attempts("due-notice", "failed")).isZero();
        }
    }
}
