package dev.posthaste.consumer;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;

import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.Stack;

import static dev.posthaste.consumer.Handler.handler;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@PosthasteStack
class OutcomesTest {

    private static final JsonMapper JSON = new JsonMapper();

    private static ConditionFactory soon() {
        return await().atMost(Duration.ofSeconds(30));
    }

    private static Handler failingOnce() {
        return handler("due-notice")
                .on(Loan.TYPE, 1, Loan.class)
                .on(Loan.TYPE, 2, Loan.class)
                .decide((event, tx) -> {
                    if (event.payload().n() == 1) {
                        return Outcome.dead("no-such-member", "the member left");
                    }
                    if (tx.delivery().attempt() == 1) {
                        throw new IllegalStateException("no notice for ada-lovelace");
                    }
                    return Outcome.done();
                });
    }

    private static PosthasteConsumer.Builder builder(Scene scene) {
        return scene.builder(
                Catalogs.of(
                        List.of(Catalogs.event(Loan.TYPE, 2)),
                        List.of(Catalogs.handler("due-notice", Map.of(Loan.TYPE, Set.of(1, 2))))),
                failingOnce());
    }

    private static void makeTopic(Scene scene) throws Exception {
        scene.admin
                .createTopics(List.of(new NewTopic(scene.topic("outcomes"), 1, (short) 1)))
                .all()
                .get();
    }

    private static List<JsonNode> outcomes(Scene scene) {
        return scene.records(scene.topic("outcomes")).stream()
                .map(ConsumerRecord::value)
                .map(OutcomesTest::json)
                .toList();
    }

    private static JsonNode json(byte[] value) {
        try {
            return JSON.readTree(value);
        } catch (IOException e) {
            throw new IllegalStateException(new String(value, StandardCharsets.UTF_8), e);
        }
    }

    private static List<String> told(Scene scene) {
        return outcomes(scene).stream()
                .filter(outcome -> !outcome.path("outcome").asText().equals("reads"))
                .map(outcome -> outcome.path("outcome").asText() + " "
                        + outcome.path("attempt").asInt() + " "
                        + outcome.path("code").asText("-"))
                .toList();
    }

    @Test
    void failuresDeadLettersAndWhatAHandlerReadsAreToldToThoseWhoWatch(Stack stack) throws Exception {
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            makeTopic(scene);
            TestMessage dead = TestMessage.of(new Loan("ada-lovelace", 1));
            scene.publish("due-notice", 0, dead, TestMessage.of(new Loan("ada-lovelace", 2)));
            scene.start(builder(scene));

            soon().until(() -> told(scene).size() == 3);
            assertThat(told(scene))
                    .containsExactly("dead-letter 1 no-such-member", "failed 1 IllegalStateException", "completed 2 -");
            assertThat(outcomes(scene))
                    .filteredOn(outcome -> outcome.path("outcome").asText().equals("reads"))
                    .singleElement()
                    .satisfies(reads -> {
                        assertThat(reads.path("handler").asText()).isEqualTo("due-notice");
                        assertThat(reads.path("reads").path(Loan.TYPE).toString())
                                .isEqualTo("[1,2]");
                        assertThat(reads.path("host").asText()).isNotEmpty();
                    });
            assertThat(outcomes(scene))
                    .filteredOn(outcome -> outcome.path("outcome").asText().equals("dead-letter"))
                    .singleElement()
                    .satisfies(letter -> {
                        assertThat(letter.path("messageId").asText())
                                .isEqualTo(dead.id().toString());
                        assertThat(letter.path("summary").asText()).contains("the member left");
                        assertThat(letter.has("actor")).isFalse();
                    });
            assertThat(scene.records(scene.topic("outcomes")))
                    .allSatisfy(record -> assertThat(new String(record.value(), StandardCharsets.UTF_8))
                            .doesNotContain("ada-lovelace"));
            soon().until(() -> scene.query("SELECT count(*) FROM inbox.journal WHERE tell_at IS NOT NULL")
                    .equals(List.of("0")));
        }
    }

    @Test
    void withoutTheTopicNothingStallsAndWhatHappenedIsToldOnceItIsThere(Stack stack) throws Exception {
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            scene.publish("due-notice", 0, TestMessage.of(new Loan("ada", 1)), TestMessage.of(new Loan("ada", 2)));
            PosthasteConsumer consumer = scene.start(builder(scene));
            soon().until(() -> scene.completed("due-notice").size() == 1
                    && scene.deadLetters("due-notice").size() == 1);
            assertThat(consumer.health().isReady()).isTrue();
            assertThat(scene.query("SELECT count(*) FROM inbox.journal WHERE tell_at IS NULL"))
                    .containsExactly("0");

            makeTopic(scene);
            soon().until(() -> told(scene).size() == 3);
        }
    }
}
