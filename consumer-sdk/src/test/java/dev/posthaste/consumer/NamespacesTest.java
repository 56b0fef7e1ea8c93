package dev.posthaste.consumer;

import java.time.Duration;
import java.util.List;

import ch.qos.logback.classic.Level;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.apache.kafka.clients.admin.NewTopic;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;

import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.Stack;

import static dev.posthaste.consumer.Handler.handler;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Two namespaces with one handler name and one inbox. */
@PosthasteStack
class NamespacesTest {

    private static ConditionFactory soon() {
        return await().atMost(Duration.ofSeconds(30));
    }

    @Test
    void aHandlerOfAnotherNamespaceInTheSameInboxIsRefusedAndEmitsNothing(Stack stack) throws Exception {
        Handler failing = handler("due-notice").on(Loan.TYPE, 1, Loan.class).handle((event, tx) -> {
            throw new IllegalStateException("always");
        });
        try (Scene scene = Scene.open(stack, 1, "due-notice");
                LogLines log = new LogLines()) {
            String other = scene.namespace + "-other";
            scene.admin
                    .createTopics(List.of("", ".retry", ".dlt").stream()
                            .map(kind -> new NewTopic(other + ".due-notice" + kind, 1, (short) 1))
                            .toList())
                    .all()
                    .get();
            PosthasteConsumer first = scene.start(failing);
            soon().until(() -> first.health().isReady());
            PosthasteConsumer second =
                    scene.start(scene.builder(failing).namespace(other).meters(new SimpleMeterRegistry()));
            soon().untilAsserted(() -> assertThat(second.health().stopped())
                    .singleElement()
                    .satisfies(stopped -> {
                        assertThat(stopped.reason()).isEqualTo(StopReason.ANOTHER_NAMESPACE);
                        assertThat(stopped.summary()).contains(scene.namespace + ",", other + ":", "inbox.handler");
                    }));
            scene.publishTo(other + ".due-notice", TestMessage.of(new Loan("ada", 1)));
            scene.publish("due-notice", 0, TestMessage.of(new Loan("ada", 2)));
            soon().until(() -> scene.deadLetters("due-notice").size() == 1);

            assertThat(scene.records(other + ".due-notice.retry")).isEmpty();
            assertThat(scene.records(other + ".due-notice.dlt")).isEmpty();
            assertThat(scene.query("SELECT count(*) FROM inbox.delivery")).containsExactly("1");
            assertThat(second.health().isReady()).isFalse();
            assertThat(first.health().isReady()).isTrue();
            assertThat(log.at(Level.ERROR))
                    .filteredOn(line -> line.contains("does not run"))
                    .hasSize(1);

            scene.execute("UPDATE inbox.handler SET namespace = '" + other + "'");
            soon().until(() -> second.health().stopped().isEmpty());
        }
    }
}
