package dev.posthaste.consumer;

import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;

import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.Stack;

import static dev.posthaste.consumer.Handler.handler;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** What a drain does to a leased call under way. */
@PosthasteStack
class LeasedDrainTest {

    private static ConditionFactory soon() {
        return await().atMost(Duration.ofSeconds(30));
    }

    private static PosthasteConsumer start(Scene scene, boolean abort, CallHandler<Loan> function) {
        Handler calls = handler("drained-call").on(Loan.TYPE, 1, Loan.class).call(function);
        return scene.start(scene.builder(Catalogs.leased("drained-call"), calls)
                .settings(ConsumerSettings.defaults().withAbortTerminalWrites(abort)));
    }

    private static void awaitWaitingForALock(Scene scene) {
        soon().until(() -> !scene.query("SELECT pid FROM pg_stat_activity WHERE datname = '" + scene.database
                        + "' AND wait_event_type = 'Lock'")
                .isEmpty());
    }

    @Test
    void drainCompletesTheTerminalWrite(Stack stack) throws Exception {
        CountDownLatch called = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        try (Scene scene = Scene.open(stack, 1, "drained-call");
                Connection other = stack.postgres().connect(scene.database)) {
            scene.publish("drained-call", 0, TestMessage.of(new Loan("ada", 1)), TestMessage.of(new Loan("ada", 2)));
            PosthasteConsumer consumer = start(scene, false, (event, call) -> {
                called.countDown();
                goOn.await();
                return Outcome.done();
            });
            called.await();
            lockTheDelivery(other);
            goOn.countDown();
            awaitWaitingForALock(scene);

            CompletableFuture<Boolean> drained =
                    CompletableFuture.supplyAsync(() -> consumer.drain(Duration.ofMillis(100)));
            // The groups are left once the bound is over; then the lane's thread is interrupted.
            soon().until(() -> Thread.getAllStackTraces().keySet().stream()
                    .map(Thread::getName)
                    .noneMatch(List.of("posthaste-drained-call", "posthaste-drained-call-retried")::contains));
            other.rollback();
            assertThat(drained.get()).as("within the bound").isFalse();
            assertThat(scene.completed("drained-call")).hasSize(1);
            assertThat(scene.attempts("drained-call", "completed")).isEqualTo(1);
        }
    }

    @Test
    void aTerminalWriteThatMayBeAbortedDoesNotHoldUpTheEnd(Stack stack) throws Exception {
        CountDownLatch called = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        try (Scene scene = Scene.open(stack, 1, "drained-call");
                Connection other = stack.postgres().connect(scene.database)) {
            scene.publish("drained-call", 0, TestMessage.of(new Loan("ada", 1)));
            PosthasteConsumer consumer = start(scene, true, (event, call) -> {
                called.countDown();
                goOn.await();
                return Outcome.done();
            });
            called.await();
            lockTheDelivery(other);
            goOn.countDown();
            awaitWaitingForALock(scene);

            assertThat(consumer.drain(Duration.ofMillis(100))).isFalse();
            assertThat(scene.query("SELECT state FROM inbox.delivery"))
                    .as("it ended while the write was still waiting")
                    .containsExactly("processing");
            other.rollback();
        }
    }

    private static void lockTheDelivery(Connection other) throws Exception {
        other.setAutoCommit(false);
        try (Statement lock = other.createStatement()) {
            lock.execute("SELECT FROM inbox.delivery FOR UPDATE");
        }
    }

    @Test
    void aDrainWaitsForTheCallInHand(Stack stack) throws Exception {
        CountDownLatch called = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        try (Scene scene = Scene.open(stack, 1, "drained-call")) {
            scene.publish("drained-call", 0, TestMessage.of(new Loan("ada", 1)), TestMessage.of(new Loan("ada", 2)));
            PosthasteConsumer consumer = start(scene, false, (event, call) -> {
                called.countDown();
                goOn.await();
                return Outcome.done();
            });
            called.await();
            CompletableFuture<Boolean> drained =
                    CompletableFuture.supplyAsync(() -> consumer.drain(Duration.ofSeconds(30)));
            soon().until(() -> !consumer.health().handlers().get(0).running());
            assertThat(drained).isNotDone();
            goOn.countDown();

            assertThat(drained.get()).isTrue();
            assertThat(scene.completed("drained-call")).hasSize(1);
            assertThat(scene.committed("drained-call", 0)).isEqualTo(1);
            soon().until(() -> Thread.getAllStackTraces().keySet().stream()
                    .noneMatch(thread -> thread.getName().startsWith("posthaste-drained-call")
                            || thread.getName().equals("posthaste-leases")));
        }
    }

    @Test
    void aCallThatIsInterruptedByTheEndOfADrainCostsNoAttempt(Stack stack) throws Exception {
        CountDownLatch called = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        List<Integer> attempts = new CopyOnWriteArrayList<>();
        try (Scene scene = Scene.open(stack, 1, "drained-call")) {
            scene.publish("drained-call", 0, TestMessage.of(new Loan("ada", 1)));
            PosthasteConsumer consumer = start(scene, false, (event, call) -> {
                called.countDown();
                never.await();
                return Outcome.done();
            });
            called.await();
            assertThat(consumer.drain(Duration.ofMillis(100))).isFalse();
            assertThat(scene.query("SELECT state || attempt FROM inbox.delivery"))
                    .containsExactly("pending0");

            start(scene, false, (event, call) -> {
                attempts.add(call.delivery().attempt());
                return Outcome.done();
            });
            soon().until(() -> scene.completed("drained-call").size() == 1);
            assertThat(attempts).containsExactly(1);
            assertThat(scene.attempts("drained-call", "failed")).isZero();
        }
    }
}
