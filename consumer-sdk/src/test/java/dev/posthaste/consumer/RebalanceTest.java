package dev.posthaste.consumer;

import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;

import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;

import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.ReportedCase;
import dev.posthaste.testkit.Stack;

import static dev.posthaste.consumer.Handler.handler;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@PosthasteStack
class RebalanceTest {

    private static final int PARTITIONS = 6;
    private static final int PER_PARTITION = 500;

    private final Set<String> workers = ConcurrentHashMap.newKeySet();

    private static ConditionFactory soon() {
        return await().atMost(Duration.ofSeconds(60));
    }

    private Handler slowly(String member) {
        return handler("due-notice").on(Loan.TYPE, 1, Loan.class).handle((event, tx) -> {
            workers.add(member + " " + event.key());
            try (Statement statement = tx.connection().createStatement()) {
                statement.execute("SELECT pg_sleep(0.008)");
            }
            Scene.write("due-notice", event, tx);
        });
    }

    private boolean hasWorked(String member) {
        return workers.stream().anyMatch(worker -> worker.startsWith(member));
    }

    @ReportedCase(34)
    @Test
    void membersThatComeAndGoUnderLoadLoseAndDoubleNothing(Stack stack) throws Exception {
        try (Scene scene = Scene.open(stack, PARTITIONS, "due-notice")) {
            for (int partition = 0; partition < PARTITIONS; partition++) {
                String key = "member-" + partition;
                scene.publish(
                        "due-notice",
                        partition,
                        IntStream.rangeClosed(1, PER_PARTITION)
                                .mapToObj(n -> TestMessage.of(new Loan(key, n)))
                                .toList());
            }
            ConsumerSettings settings = ConsumerSettings.defaults()
                    .withChunkMax(10)
                    .withLanesMax(2)
                    .withSessionTimeout(Duration.ofSeconds(6));
            PosthasteConsumer first = scene.start(scene.builder(slowly("first")).settings(settings));
            soon().until(() -> hasWorked("first"));
            scene.start(scene.builder(slowly("second")).settings(settings));
            soon().until(() -> hasWorked("second"));
            scene.start(scene.builder(slowly("third")).settings(settings));
            soon().until(() -> hasWorked("third"));
            int atTheMove = scene.effects("due-notice").size();
            first.close();
            assertThat(atTheMove).as("members came while there was work").isLessThan(PARTITIONS * PER_PARTITION);

            soon().until(() -> scene.effects("due-notice").size() >= PARTITIONS * PER_PARTITION);
            assertThat(scene.query("SELECT count(DISTINCT message_id) FROM effect"))
                    .isEqualTo(scene.query("SELECT count(*) FROM effect"))
                    .containsExactly(String.valueOf(PARTITIONS * PER_PARTITION));
            assertThat(scene.query(
                            "SELECT count(*) FROM (SELECT n, lag(n) OVER (PARTITION BY key ORDER BY seq) AS before FROM effect) e"
                                    + " WHERE n <> coalesce(before, 0) + 1"))
                    .as("out of order per key")
                    .containsExactly("0");
            assertThat(scene.completed("due-notice")).hasSize(PARTITIONS * PER_PARTITION);
            soon().until(() -> IntStream.range(0, PARTITIONS)
                    .mapToObj(partition -> scene.committed("due-notice", partition))
                    .allMatch(offset -> offset != null && offset > PER_PARTITION - 1));
        }
    }

    @ReportedCase(34)
    @Test
    void offsetsAreCommittedInTheCallbackSoThatNothingComesTwice(Stack stack) throws Exception {
        try (Scene scene = Scene.open(stack, 2, "due-notice")) {
            PosthasteConsumer first = scene.start(slowly("first"));
            for (int partition = 0; partition < 2; partition++) {
                String key = "member-" + partition;
                scene.publish(
                        "due-notice",
                        partition,
                        IntStream.rangeClosed(1, 40)
                                .mapToObj(n -> TestMessage.of(new Loan(key, n)))
                                .toList());
            }
            soon().until(() -> hasWorked("first"));
            scene.start(slowly("second"));
            soon().until(() -> first.health().handlers().get(0).partitions().stream()
                            .filter(name -> !name.contains(".retry-"))
                            .count()
                    == 1);
            scene.publish("due-notice", 0, List.of(TestMessage.of(new Loan("last", 0))));
            scene.publish("due-notice", 1, List.of(TestMessage.of(new Loan("last", 1))));

            soon().until(() -> scene.effects("due-notice").size() >= 82);
            assertThat(hasWorked("second")).isTrue();
            assertThat(scene.attempts("due-notice", "completed")).isEqualTo(82);
            assertThat(scene.attempts("due-notice", "duplicate"))
                    .as("no record was delivered to both")
                    .isZero();
        }
    }
}
