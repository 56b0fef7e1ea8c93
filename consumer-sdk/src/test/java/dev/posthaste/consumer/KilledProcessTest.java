package dev.posthaste.consumer;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;

import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.ReportedCase;
import dev.posthaste.testkit.Stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@PosthasteStack
class KilledProcessTest {

    private static final int PARTITIONS = 3;
    private static final int PER_PARTITION = 400;
    private static final int KILLS = 3;

    private static ConditionFactory soon() {
        return await().atMost(Duration.ofSeconds(90));
    }

    static Process startMember(Scene scene, Class<?> main) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx128m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        main.getName())
                .inheritIO();
        builder.environment()
                .putAll(Map.of(
                        "JDBC_URL", scene.stack.postgres().jdbcUrl(scene.database),
                        "JDBC_USER", scene.stack.postgres().superuser(),
                        "JDBC_PASSWORD", scene.stack.postgres().password(),
                        "NAMESPACE", scene.namespace,
                        "BOOTSTRAP_SERVERS", scene.stack.kafka().bootstrapServers()));
        return builder.start();
    }

    /** SIGKILL between the first SQL and the offset commit, wherever it hits; some messages fail. */
    @ReportedCase(22)
    @Test
    void aProcessKilledUnderLoadLeavesEveryEffectOnce(Stack stack) throws Exception {
        try (Scene scene = Scene.open(stack, PARTITIONS, "due-notice")) {
            for (int partition = 0; partition < PARTITIONS; partition++) {
                String key = "member-" + partition + "-";
                scene.publish(
                        "due-notice",
                        partition,
                        IntStream.range(0, PER_PARTITION)
                                .mapToObj(i -> TestMessage.of(new Loan(key + i % 5, i / 5 + 1)))
                                .toList());
            }
            int all = PARTITIONS * PER_PARTITION;
            for (int kill = 0; kill < KILLS; kill++) {
                int before = scene.effects("due-notice").size();
                Process process = startMember(scene, KilledMember.class);
                try {
                    soon().until(() -> scene.effects("due-notice").size() >= before + 60);
                } finally {
                    process.destroyForcibly().waitFor(30, TimeUnit.SECONDS);
                }
                assertThat(process.exitValue()).as("SIGKILL").isEqualTo(137);
                assertThat(scene.effects("due-notice")).as("killed under load").hasSizeLessThan(all);
            }
            assertThat(scene.query("SELECT entry FROM inbox.journal WHERE outcome = 'failed'"))
                    .as("some failed")
                    .isNotEmpty();
            scene.start(scene.builder(KilledMember.CATALOG, Scene.writing("due-notice")));
            soon().until(() -> scene.effects("due-notice").size() >= all);

            assertThat(scene.query("SELECT count(DISTINCT message_id) FROM effect"))
                    .isEqualTo(scene.query("SELECT count(*) FROM effect"))
                    .containsExactly(String.valueOf(all));
            assertThat(scene.query("SELECT message_id FROM effect ORDER BY 1"))
                    .isEqualTo(
                            scene.query("SELECT message_id FROM inbox.delivery WHERE state = 'completed' ORDER BY 1"));
            assertThat(scene.query(
                            "SELECT count(*) FROM (SELECT n, lag(n) OVER (PARTITION BY key ORDER BY seq) AS before FROM effect) e"
                                    + " WHERE n <> coalesce(before, 0) + 1"))
                    .as("out of order per key")
                    .containsExactly("0");
        }
    }

    /** Other keys of the partition are done far ahead of one that is not. */
    @ReportedCase(31)
    @Test
    void aRecordThatWasInHandWhenItsProcessWasKilledRunsAgainThoughLaterOnesAreDone(Stack stack) throws Exception {
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            scene.publish(
                    "due-notice",
                    0,
                    IntStream.range(0, 60)
                            .mapToObj(i -> TestMessage.of(new Loan(i == 10 ? KilledMember.NEVER : "member-" + i, 1)))
                            .toList());
            Process process = startMember(scene, KilledMember.class);
            try {
                soon().until(() -> scene.query(
                                        "SELECT message_id FROM inbox.delivery WHERE record_offset > 10 AND state = 'completed'")
                                .size()
                        >= 10);
            } finally {
                process.destroyForcibly().waitFor(30, TimeUnit.SECONDS);
            }
            assertThat(scene.committed("due-notice", 0)).isLessThanOrEqualTo(10);

            scene.start(scene.builder(KilledMember.CATALOG, Scene.writing("due-notice")));
            soon().until(() -> scene.effects("due-notice").size() >= 60);
            assertThat(scene.query("SELECT DISTINCT message_id FROM effect")).hasSize(60);
            assertThat(scene.effects("due-notice")).hasSize(60);
            assertThat(scene.query("SELECT DISTINCT code FROM inbox.journal WHERE message_id IN"
                            + " (SELECT message_id FROM effect WHERE key = '" + KilledMember.NEVER
                            + "') AND code IS NOT NULL"))
                    .as("it was counted before it began")
                    .containsExactly("process-ended");
        }
    }
}
