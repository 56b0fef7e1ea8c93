package dev.posthaste.consumer;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;

import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.Stack;

import static dev.posthaste.consumer.Handler.handler;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

@PosthasteStack
class DrainTest {

    private static ConditionFactory soon() {
        return await().atMost(Duration.ofSeconds(30));
    }

    private static void publish(Scene scene, int loans) {
        scene.publish(
                "due-notice",
                0,
                IntStream.rangeClosed(1, loans)
                        .mapToObj(n -> TestMessage.of(new Loan("ada", n)))
                        .toList());
    }

    private static long threads(String prefix) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.isAlive() && thread.getName().startsWith(prefix))
                .count();
    }

    @Test
    void theChunkInHandIsFinishedAndCommittedAndNothingElseIsTaken(Stack stack) throws Exception {
        CountDownLatch inHand = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        Handler waits = handler("drained").on(Loan.TYPE, 1, Loan.class).handle((event, tx) -> {
            Scene.write("drained", event, tx);
            inHand.countDown();
            goOn.await();
        });
        try (Scene scene = Scene.open(stack, 1, "drained")) {
            scene.publish(
                    "drained",
                    0,
                    IntStream.rangeClosed(1, 30)
                            .mapToObj(n -> TestMessage.of(new Loan("ada", n)))
                            .toList());
            PosthasteConsumer consumer = scene.start(
                    scene.builder(waits).settings(ConsumerSettings.defaults().withChunkMax(10)));
            inHand.await();
            assertThat(threads("posthaste-drained"))
                    .as("two members, two pollers, and a lane's, which is virtual where the JVM has them")
                    .isEqualTo(Runtime.version().feature() < 24 ? 5 : 4);
            CompletableFuture<Boolean> drained =
                    CompletableFuture.supplyAsync(() -> consumer.drain(Duration.ofSeconds(30)));
            soon().until(() -> !consumer.health().handlers().get(0).running());
            assertThat(drained).isNotDone();
            goOn.countDown();

            assertThat(drained.get()).isTrue();
            assertThat(scene.effects("drained")).hasSize(10);
            assertThat(scene.committed("drained", 0)).isEqualTo(10);
            soon().until(() -> threads("posthaste-drained") == 0);
            assertThat(scene.members("drained")).as("it has left the group").isZero();
        }
    }

    @Test
    void whatIsNotFinishedInTimeIsRolledBackAndComesAgain(Stack stack) throws Exception {
        CountDownLatch inHand = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        Handler hangs = handler("due-notice").on(Loan.TYPE, 1, Loan.class).handle((event, tx) -> {
            Scene.write("due-notice", event, tx);
            inHand.countDown();
            never.await();
        });
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            publish(scene, 3);
            PosthasteConsumer consumer = scene.start(hangs);
            inHand.await();

            assertThat(consumer.drain(Duration.ofMillis(200))).isFalse();
            assertThat(scene.effects("due-notice")).isEmpty();
            assertThat(scene.completed("due-notice")).isEmpty();

            scene.start(Scene.writing("due-notice"));
            soon().until(() -> scene.effects("due-notice").size() == 3);
        }
    }

    @Test
    void closeIsIdempotentAndAStartAfterItIsRefused(Stack stack) throws Exception {
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            PosthasteConsumer consumer = scene.start(Scene.writing("due-notice"));
            assertThat(scene.meters.find("posthaste.store.available").gauges()).hasSize(2);
            consumer.close();
            consumer.close();
            assertThat(scene.meters.find("posthaste.store.available").gauges()).isEmpty();
            assertThat(scene.meters.find("posthaste.partitions.stopped").gauges())
                    .isEmpty();
            assertThatThrownBy(consumer::start).isInstanceOf(IllegalStateException.class);

            PosthasteConsumer neverStarted =
                    scene.builder(Scene.writing("due-notice")).build();
            neverStarted.close();
            assertThatThrownBy(neverStarted::start).hasMessageContaining("build a new one");
        }
    }
}
