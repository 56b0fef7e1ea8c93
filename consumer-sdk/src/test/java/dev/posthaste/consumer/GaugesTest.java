package dev.posthaste.consumer;

import java.time.Duration;
import java.util.List;

import io.micrometer.core.instrument.Gauge;
import org.apache.kafka.clients.admin.NewTopic;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;

import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.Stack;

import static dev.posthaste.consumer.Handler.handler;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@PosthasteStack
class GaugesTest {

    private static ConditionFactory soon() {
        return await().atMost(Duration.ofSeconds(30));
    }

    /** NaN where it is not there. */
    private static double gauge(Scene scene, String name, String... tags) {
        Gauge gauge =
                scene.meters.find(name).tags(tags).tag("handler", "due-notice").gauge();
        return gauge == null ? Double.NaN : gauge.value();
    }

    private static double inState(Scene scene, String state) {
        return gauge(scene, "posthaste.inbox.deliveries", "state", state);
    }

    /** The first is a dead letter, the second comes again in five minutes, all others are done. */
    private static Handler ofThreeKinds() {
        return handler("due-notice").on(Loan.TYPE, 1, Loan.class).decide((event, tx) -> switch (event.payload()
                .n()) {
            case 1 -> Outcome.dead("no-such-member", "the member left");
            case 2 -> Outcome.retryAfter(Duration.ofMinutes(5));
            default -> Outcome.done();
        });
    }

    private static List<TestMessage> loans() {
        return List.of(
                TestMessage.of(new Loan("ada", 1)),
                TestMessage.of(new Loan("bob", 2)),
                TestMessage.of(new Loan("cleo", 3)));
    }

    @Test
    void gaugesTellWhatTheInboxHoldsAndNothingOnceItIsNotKnown(Stack stack) throws Exception {
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            scene.publish("due-notice", 0, loans());
            PosthasteConsumer consumer = scene.start(ofThreeKinds());
            soon().until(() -> inState(scene, "dead-letter") == 1 && inState(scene, "failed") == 1);
            soon().until(() -> gauge(scene, "posthaste.outgoing.waiting", "route", "dead-letter") == 0);
            assertThat(inState(scene, "pending")).isZero();
            assertThat(inState(scene, "processing")).isZero();
            assertThat(gauge(scene, "posthaste.outgoing.waiting", "route", "retry"))
                    .isEqualTo(1);
            assertThat(gauge(scene, "posthaste.inbox.waiting.age")).isBetween(0.001, 60.0);
            assertThat(gauge(scene, "posthaste.delivery.success")).isEqualTo(1 / 3.0);
            assertThat(gauge(scene, "posthaste.breaker.open")).isZero();
            assertThat(gauge(scene, "posthaste.outgoing.failing", "route", "retry"))
                    .isZero();
            assertThat(consumer.health().handlers().get(0).partitions())
                    .containsExactly(scene.topic("due-notice") + "-0", scene.topic("due-notice") + ".retry-0");

            scene.execute("ALTER TABLE inbox.outgoing RENAME TO outgoing_elsewhere");
            soon().until(() -> Double.isNaN(inState(scene, "failed")));
            assertThat(gauge(scene, "posthaste.inbox.waiting.age")).isNaN();
            scene.execute("ALTER TABLE inbox.outgoing_elsewhere RENAME TO outgoing");
            soon().until(() -> inState(scene, "failed") == 1);

            consumer.close();
            assertThat(scene.meters.find("posthaste.inbox.deliveries").gauges()).isEmpty();
            assertThat(scene.meters.find("posthaste.breaker.open").gauges()).isEmpty();
        }
    }

    @Test
    void aMissingRetryTopicIsNamedAndLeavesTheConsumerReadyWhileMessagesFlow(Stack stack) throws Exception {
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            String retry = scene.topic("due-notice") + ".retry";
            scene.admin.deleteTopics(List.of(retry)).all().get();
            PosthasteConsumer consumer = scene.start(Scene.writing("due-notice"));
            scene.publish("due-notice", 0, TestMessage.of(new Loan("ada", 1)));

            soon().until(() -> scene.effects("due-notice").equals(List.of("1")));
            soon().until(() ->
                    consumer.health().handlers().get(0).failingRoutes().equals(List.of("retry-read")));
            assertThat(consumer.health().isReady()).isTrue();
            assertThat(scene.meters
                            .get("posthaste.outgoing.failing")
                            .tag("route", "retry-read")
                            .gauge()
                            .value())
                    .isEqualTo(1);

            scene.admin
                    .createTopics(List.of(new NewTopic(retry, 1, (short) 1)))
                    .all()
                    .get();
            soon().until(() ->
                    consumer.health().handlers().get(0).failingRoutes().isEmpty());
        }
    }

    @Test
    void aRetryTopicThatGoesWhileItIsReadIsNamedAndReadAgainOnceItIsBack(Stack stack) throws Exception {
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            String retry = scene.topic("due-notice") + ".retry";
            PosthasteConsumer consumer = scene.start(Scene.writing("due-notice"));
            soon().until(() -> consumer.health().handlers().get(0).partitions().contains(retry + "-0"));

            scene.admin.deleteTopics(List.of(retry)).all().get();
            soon().until(() ->
                    consumer.health().handlers().get(0).failingRoutes().equals(List.of("retry-read")));
            assertThat(consumer.health().isReady()).isTrue();

            scene.admin
                    .createTopics(List.of(new NewTopic(retry, 1, (short) 1)))
                    .all()
                    .get();
            soon().until(() -> consumer.health().handlers().get(0).partitions().contains(retry + "-0"));
            assertThat(consumer.health().handlers().get(0).failingRoutes()).isEmpty();
        }
    }

    @Test
    void aTopicThatTakesNothingShowsInHealthAndGaugeAndStopsNobody(Stack stack) throws Exception {
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            String deadLetters = scene.topic("due-notice") + ".dlt";
            scene.admin.deleteTopics(List.of(deadLetters)).all().get();
            scene.publish("due-notice", 0, loans());
            PosthasteConsumer consumer = scene.start(ofThreeKinds());

            soon().until(() -> gauge(scene, "posthaste.outgoing.failing", "route", "dead-letter") == 1);
            assertThat(consumer.health().handlers().get(0).failingRoutes()).containsExactly("dead-letter");
            assertThat(gauge(scene, "posthaste.outgoing.failing", "route", "retry"))
                    .isZero();
            assertThat(consumer.health().isReady()).as("nothing waits for it").isTrue();
            soon().until(() -> scene.completed("due-notice").size() == 1);

            scene.admin
                    .createTopics(List.of(new NewTopic(deadLetters, 1, (short) 1)))
                    .all()
                    .get();
            soon().until(() ->
                    consumer.health().handlers().get(0).failingRoutes().isEmpty());
            assertThat(gauge(scene, "posthaste.outgoing.failing", "route", "dead-letter"))
                    .isZero();
            soon().until(() -> scene.deadLetters("due-notice").size() == 1);
        }
    }
}
