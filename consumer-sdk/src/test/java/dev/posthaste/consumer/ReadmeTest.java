package dev.posthaste.consumer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.posthaste.consumer.example.DueNotices;
import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.Stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The README's examples are compiled and run. */
@PosthasteStack
class ReadmeTest {

    private static String block(String language, int number) throws IOException {
        Matcher blocks = Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(Path.of("README.md")));
        for (int i = 0; i <= number; i++) {
            assertThat(blocks.find()).as("block %d of %s", i, language).isTrue();
        }
        return blocks.group(1);
    }

    @Test
    void theReadmeHasTheExamplesAsTheyAre() throws IOException {
        List<String> examples = List.of("DueNotices", "AfterTheOutage");
        for (int i = 0; i < examples.size(); i++) {
            String example = Files.readString(
                    Path.of("src/test/java/dev/posthaste/consumer/example/" + examples.get(i) + ".java"));
            assertThat(block("java", i)).isEqualTo(example.substring(example.indexOf("import ")));
        }
        assertThat(Files.readString(Path.of("README.md")).split("```java"))
                .as("another example that nobody compiles")
                .hasSize(1 + examples.size());
    }

    @Test
    void theExampleWorksWithTheReadmesCatalog(Stack stack, @TempDir Path catalog) throws Exception {
        Files.createDirectories(catalog.resolve("events"));
        Files.createDirectories(catalog.resolve("handlers"));
        Files.writeString(catalog.resolve("events/library.loan-borrowed.yaml"), block("yaml", 0));
        Files.writeString(catalog.resolve("handlers/due-notice.yaml"), block("yaml", 1));
        try (Scene scene = Scene.open(stack, 1)) {
            scene.execute("CREATE TABLE notice (member text, due_on date)");
            scene.execute("CREATE TABLE member AS SELECT unnest(ARRAY['ada', 'bob']) AS name");
            scene.admin
                    .createTopics(Stream.of("", ".retry", ".dlt")
                            .map(kind -> new NewTopic("library.due-notice" + kind, 1, (short) 1))
                            .toList())
                    .all()
                    .get();
            scene.publishTo(
                    "library.due-notice",
                    TestMessage.of(
                            "library.loan-borrowed",
                            1,
                            "c1",
                            "{\"copy\":\"c1\",\"member\":\"ada\",\"borrowedOn\":\"2026-03-01\"}"),
                    TestMessage.of(
                            "library.loan-borrowed",
                            2,
                            "c1",
                            "{\"copy\":\"c1\",\"member\":\"bob\",\"dueOn\":\"2026-05-01\"}"),
                    TestMessage.of(
                            "library.loan-borrowed",
                            2,
                            "c1",
                            "{\"copy\":\"c1\",\"member\":\"mallory\",\"dueOn\":\"2026-06-01\"}"));
            try (PosthasteConsumer consumer =
                    DueNotices.start(stack.kafka().bootstrapServers(), scene.dataSource, catalog, scene.meters)) {
                await().atMost(Duration.ofSeconds(30))
                        .until(() -> scene.query("SELECT member || ' ' || due_on FROM notice ORDER BY 1")
                                .equals(List.of("ada 2026-03-29", "bob 2026-05-01")));
                await().atMost(Duration.ofSeconds(30))
                        .until(() -> scene.records("library.due-notice.dlt").size() == 1);
                assertThat(scene.rows(block("sql", 0)))
                        .singleElement()
                        .asString()
                        .contains("unknown-member|1|the loan is somebody's");
                assertThat(scene.rows(block("sql", 1)))
                        .singleElement()
                        .asString()
                        .contains("|1|dead-letter|unknown-member|");
                await().atMost(Duration.ofSeconds(30))
                        .until(() -> consumer.health().isReady()); // the member of the retry topic joins by itself
            }
        }
    }
}
