package dev.posthaste.consumer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;

import dev.posthaste.schemas.MessageHeaders;
import dev.posthaste.schemas.catalog.Catalog;
import dev.posthaste.schemas.catalog.OnDeadLetter;
import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.ReportedCase;
import dev.posthaste.testkit.Stack;

import static dev.posthaste.consumer.Handler.handler;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Order per key while a message of the key waits for its retry, for an operator, or for the relay's. */
@PosthasteStack
class OrderTest {

    private static final String OUT_OF_ORDER =
            "SELECT count(*) FROM (SELECT n, lag(n) OVER (PARTITION BY key ORDER BY seq) AS before FROM effect) e"
                    + " WHERE n <> coalesce(before, 0) + 1";

    private static final Catalog BLOCK = Catalogs.perKey("due-notice", OnDeadLetter.BLOCK, 500);
    private static final Catalog PASS = Catalogs.perKey("due-notice", OnDeadLetter.PASS, 3);

    private final AtomicBoolean mended = new AtomicBoolean();

    private static ConditionFactory soon() {
        return await().atMost(Duration.ofSeconds(60));
    }

    private static List<TestMessage> loans(String member, int from, int to) {
        return IntStream.rangeClosed(from, to)
                .mapToObj(n -> TestMessage.of(new Loan(member, n)))
                .toList();
    }

    private static List<String> numbers(int from, int to) {
        return IntStream.rangeClosed(from, to).mapToObj(String::valueOf).toList();
    }

    private static List<String> effects(Scene scene, String member) {
        return scene.query("SELECT n FROM effect WHERE key = '" + member + "' ORDER BY seq");
    }

    /** The first loan of ada fails until it is mended. */
    private Handler firstOfAdaFails() {
        return handler("due-notice").on(Loan.TYPE, 1, Loan.class).handle((event, tx) -> {
            Scene.write("due-notice", event, tx);
            if (event.payload().equals(new Loan("ada", 1)) && !mended.get()) {
                throw new IllegalStateException("not yet");
            }
        });
    }

    /** A dead letter at once, until it is mended. */
    private Handler firstOfEachIsDead() {
        return handler("due-notice").on(Loan.TYPE, 1, Loan.class).decide((event, tx) -> {
            if (event.payload().n() == 1 && !mended.get()) {
                return Outcome.dead("no-such-copy", "for the test");
            }
            Scene.write("due-notice", event, tx);
            return Outcome.done();
        });
    }

    @ReportedCase(24)
    @Test
    void laterMessagesOfAKeyWaitBehindTheFailedOneInOrderAndOtherKeysGoOn(Stack stack) throws Exception {
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            List<TestMessage> mixed = new ArrayList<>(loans("ada", 1, 1));
            mixed.addAll(loans("bob", 1, 60));
            mixed.addAll(loans("ada", 2, 3));
            mixed.addAll(loans("bob", 61, 120));
            scene.publish("due-notice", 0, mixed);
            PosthasteConsumer consumer = scene.start(scene.builder(BLOCK, firstOfAdaFails()));

            soon().until(() -> effects(scene, "bob").equals(numbers(1, 120)));
            soon().until(() -> scene.inState("due-notice", "pending") == 2);
            soon().until(() -> Long.valueOf(124).equals(scene.committed("due-notice", 0)));
            assertThat(effects(scene, "ada")).isEmpty();
            assertThat(scene.attempts("due-notice", "waiting")).isEqualTo(2);
            assertThat(consumer.health().isReady()).isTrue();

            mended.set(true);
            scene.publish("due-notice", 0, loans("ada", 4, 5));
            soon().until(() -> effects(scene, "ada").equals(numbers(1, 5)));
            scene.publish("due-notice", 0, loans("ada", 6, 6));
            soon().until(() -> effects(scene, "ada").equals(numbers(1, 6)));
            assertThat(scene.query("SELECT message_id FROM inbox.outgoing")).isEmpty();
        }
    }

    @Test
    void aLongQueueOfAKeyDrainsInChunksAndHoldsBehindWhatFailsInItsMiddle(Stack stack) throws Exception {
        AtomicInteger failures = new AtomicInteger();
        Handler twice = handler("due-notice").on(Loan.TYPE, 1, Loan.class).handle((event, tx) -> {
            Scene.write("due-notice", event, tx);
            int n = event.payload().n();
            if (n == 1 && !mended.get() || n == 30 && failures.incrementAndGet() <= 2) {
                throw new IllegalStateException("not yet");
            }
        });
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            scene.publish("due-notice", 0, loans("ada", 1, 130));
            scene.start(scene.builder(BLOCK, twice));
            soon().until(() -> scene.inState("due-notice", "pending") == 129);
            mended.set(true);

            soon().until(() -> effects(scene, "ada").size() >= 130);
            assertThat(effects(scene, "ada")).isEqualTo(numbers(1, 130));
            assertThat(failures.get()).as("30 failed").isGreaterThanOrEqualTo(3);
            assertThat(scene.attempts("due-notice", "waiting"))
                    .as("kept once each, and put back when 30 failed")
                    .isBetween(129.0, 129.0 + 2 * 50);
        }
    }

    @Test
    void whatWaitsBehindAKeyGoesOnInOrderInTheNextProcess(Stack stack) throws Exception {
        try (Scene scene = Scene.open(stack, 2, "due-notice")) {
            scene.publish("due-notice", 0, loans("ada", 1, 60));
            PosthasteConsumer first = scene.start(scene.builder(BLOCK, firstOfAdaFails()));
            soon().until(() -> scene.inState("due-notice", "pending") == 59);
            first.close();
            scene.publish("due-notice", 0, loans("ada", 61, 80));
            mended.set(true);

            scene.start(scene.builder(BLOCK, firstOfAdaFails()));
            soon().until(() -> effects(scene, "ada").size() >= 80);
            assertThat(effects(scene, "ada")).isEqualTo(numbers(1, 80));
        }
    }

    @Test
    void behindADeadLetterThatBlocksLaterOnesWaitUntilItIsReplayedOrGone(Stack stack) throws Exception {
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            List<TestMessage> ada = loans("ada", 1, 3);
            List<TestMessage> bob = loans("bob", 1, 3);
            scene.publish("due-notice", 0, ada);
            scene.publish("due-notice", 0, bob);
            scene.publish("due-notice", 0, loans("eve", 2, 2));
            PosthasteConsumer first = scene.start(scene.builder(BLOCK, firstOfEachIsDead()));
            soon().until(() -> effects(scene, "eve").equals(List.of("2")));
            soon().until(() -> scene.inState("due-notice", "pending") == 4);
            first.close();
            scene.start(scene.builder(BLOCK, firstOfEachIsDead()));
            scene.publish("due-notice", 0, loans("ada", 4, 4));
            soon().until(() -> scene.inState("due-notice", "pending") == 5);
            assertThat(effects(scene, "ada")).isEmpty();

            mended.set(true);
            // An operator's replay of the one, and the end of the other.
            scene.execute(
                    "UPDATE inbox.delivery SET state = 'pending', forgiven = attempt, code = NULL WHERE message_id = '"
                            + ada.get(0).id() + "'");
            scene.execute("UPDATE inbox.outgoing SET route = 'retry', emit_at = clock_timestamp() WHERE message_id = '"
                    + ada.get(0).id() + "'");
            scene.execute("DELETE FROM inbox.outgoing WHERE message_id = '"
                    + bob.get(0).id() + "'");
            soon().until(() -> effects(scene, "ada").equals(numbers(1, 4)));
            soon().until(() -> effects(scene, "bob").equals(numbers(2, 3)));
        }
    }

    @Test
    void behindADeadLetterThatLetsPassLaterOnesGoOnOnceItIsDeadAndNotBefore(Stack stack) throws Exception {
        List<Integer> calls = new CopyOnWriteArrayList<>();
        Handler failing = handler("due-notice").on(Loan.TYPE, 1, Loan.class).handle((event, tx) -> {
            calls.add(event.payload().n());
            Scene.write("due-notice", event, tx);
            if (event.payload().n() == 1) {
                throw new IllegalStateException("never");
            }
        });
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            scene.publish("due-notice", 0, loans("ada", 1, 60));
            scene.start(scene.builder(PASS, failing)
                    .settings(ConsumerSettings.defaults().withChunkMax(1)));

            soon().until(() -> effects(scene, "ada").equals(numbers(2, 60)));
            assertThat(calls).startsWith(1, 1, 1, 2);
            assertThat(scene.inState("due-notice", "dead-letter")).isEqualTo(1);
            scene.publish("due-notice", 0, loans("ada", 61, 61));
            soon().until(() -> effects(scene, "ada").equals(numbers(2, 61)));
        }
    }

    private static TestMessage marker(TestMessage message) {
        return message.with(MessageHeaders.QUARANTINED, "true").withValue(null);
    }

    @Test
    void aMarkerOfTheRelaysBlocksItsKeyUntilTheMessageIsReleased(Stack stack) throws Exception {
        AtomicInteger failures = new AtomicInteger();
        Handler failsOnce = handler("due-notice").on(Loan.TYPE, 1, Loan.class).handle((event, tx) -> {
            Scene.write("due-notice", event, tx);
            if (event.payload().n() == 2 && failures.incrementAndGet() == 1) {
                throw new IllegalStateException("the released one fails as any other may");
            }
        });
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            TestMessage second = TestMessage.of(new Loan("ada", 2));
            TestMessage released = second.with(MessageHeaders.REPLAY, "release");
            List<TestMessage> all = new ArrayList<>(loans("ada", 1, 1));
            all.add(marker(second));
            all.addAll(loans("ada", 3, 4));
            all.addAll(loans("bob", 1, 1));
            scene.publish("due-notice", 0, all);
            PosthasteConsumer first = scene.start(scene.builder(BLOCK, failsOnce));
            soon().until(() -> scene.inState("due-notice", "pending") == 2);
            assertThat(effects(scene, "ada")).isEqualTo(numbers(1, 1));
            assertThat(effects(scene, "bob")).isEqualTo(numbers(1, 1));
            assertThat(scene.query(
                            "SELECT state || ' ' || attempt || ' ' || code FROM inbox.delivery WHERE message_id = '"
                                    + second.id() + "'"))
                    .containsExactly("dead-letter 0 quarantined");
            first.close();

            // Twice, as it may come if the relay ends amid a release; and between messages that wait.
            List<TestMessage> later = new ArrayList<>(loans("ada", 5, 5));
            later.add(released);
            later.addAll(loans("ada", 6, 6));
            later.add(released);
            scene.publish("due-notice", 0, later);
            scene.start(scene.builder(BLOCK, failsOnce));
            soon().until(() -> effects(scene, "ada").size() >= 6);
            assertThat(effects(scene, "ada")).isEqualTo(numbers(1, 6));
            assertThat(failures.get()).isEqualTo(2);
            assertThat(scene.query("SELECT message_id FROM inbox.outgoing")).isEmpty();
        }
    }

    @Test
    void aMarkerOfTheRelaysLetsItsKeyPassWhereTheRecordSaysSo(Stack stack) throws Exception {
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            TestMessage second = TestMessage.of(new Loan("ada", 2));
            List<TestMessage> all = new ArrayList<>(loans("ada", 1, 1));
            all.add(marker(second));
            all.addAll(loans("ada", 3, 4));
            scene.publish("due-notice", 0, all);
            scene.start(scene.builder(PASS, Scene.writing("due-notice")));
            soon().until(() -> effects(scene, "ada").equals(List.of("1", "3", "4")));
            assertThat(scene.inState("due-notice", "dead-letter")).isEqualTo(1);
            assertThat(scene.attempts("due-notice", "quarantined")).isEqualTo(1);

            scene.publish("due-notice", 0, second.with(MessageHeaders.REPLAY, "release"));
            soon().until(() -> effects(scene, "ada").equals(List.of("1", "3", "4", "2")));
            assertThat(scene.inState("due-notice", "dead-letter")).isZero();
        }
    }

    @Test
    void aFullKeyPausesItsPartitionVisiblyAndGoesOnByItself(Stack stack) throws Exception {
        try (Scene scene = Scene.open(stack, 2, "due-notice")) {
            scene.publish("due-notice", 0, loans("ada", 1, 10));
            scene.publish("due-notice", 0, loans("bob", 1, 5));
            scene.publish("due-notice", 1, loans("eve", 1, 5));
            PosthasteConsumer consumer = scene.start(scene.builder(BLOCK, firstOfAdaFails())
                    .settings(ConsumerSettings.defaults().withWaitingMax(3)));

            soon().until(() -> !consumer.health().stopped().isEmpty());
            soon().until(() -> effects(scene, "eve").equals(numbers(1, 5)));
            assertThat(consumer.health().stopped()).singleElement().satisfies(stopped -> {
                assertThat(stopped.reason()).isEqualTo(StopReason.KEY_FULL);
                assertThat(stopped.partition()).isZero();
                assertThat(stopped.offset())
                        .as("one failed and three wait behind it")
                        .isEqualTo(4);
                assertThat(stopped.summary()).contains("waitingMax", "goes on by itself");
            });
            assertThat(consumer.health().isReady()).isFalse();
            assertThat(scene.meters.get("posthaste.partitions.stopped").gauge().value())
                    .isEqualTo(1);
            soon().until(() -> Long.valueOf(4).equals(scene.committed("due-notice", 0)));
            assertThat(effects(scene, "bob")).isEmpty();

            mended.set(true);
            soon().until(() -> effects(scene, "bob").equals(numbers(1, 5)));
            assertThat(effects(scene, "ada")).isEqualTo(numbers(1, 10));
            soon().until(() -> consumer.health().isReady());
            assertThat(scene.meters.get("posthaste.partitions.stopped").gauge().value())
                    .isZero();
        }
    }

    @Test
    void keysOfOnePartitionRunAtTheSameTimeAndEachInOrder(Stack stack) throws Exception {
        CountDownLatch together = new CountDownLatch(3);
        List<String> threads = new CopyOnWriteArrayList<>();
        Handler meeting = handler("due-notice")
                .concurrency(4)
                .on(Loan.TYPE, 1, Loan.class)
                .handle((event, tx) -> {
                    Scene.write("due-notice", event, tx);
                    threads.add(Thread.currentThread().getName());
                    together.countDown();
                    assertThat(together.await(30, TimeUnit.SECONDS)).isTrue();
                });
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            List<TestMessage> messages = new ArrayList<>();
            for (int n = 1; n <= 20; n++) {
                for (int key = 0; key < 16; key++) {
                    messages.add(TestMessage.of(new Loan("member-" + key, n)));
                }
            }
            scene.publish("due-notice", 0, messages);
            scene.start(scene.builder(meeting)
                    .settings(ConsumerSettings.defaults().withLanesMax(2).withChunkMax(10)));

            soon().until(() -> scene.effects("due-notice").size() >= 320);
            assertThat(scene.query(OUT_OF_ORDER)).containsExactly("0");
            assertThat(scene.attempts("due-notice", "failed")).isZero();
            assertThat(threads).allMatch(name -> name.matches("posthaste-due-notice-[0-9]+"));
            soon().until(() -> Long.valueOf(321).equals(scene.committed("due-notice", 0)));
        }
    }

    @Test
    void orderPerKeyHoldsThroughRandomFailuresRebalancesAndAbortedDrains(Stack stack) throws Exception {
        int partitions = 3;
        int keys = 24;
        int perKey = 25;
        AtomicInteger failures = new AtomicInteger();
        Random random = new Random(24);
        Handler careless = handler("due-notice")
                .concurrency(3)
                .on(Loan.TYPE, 1, Loan.class)
                .handle((event, tx) -> {
                    Scene.write("due-notice", event, tx);
                    if (random.nextInt(8) == 0) {
                        failures.incrementAndGet();
                        throw new IllegalStateException("at random");
                    }
                });
        try (Scene scene = Scene.open(stack, partitions, "due-notice")) {
            ConsumerSettings settings = ConsumerSettings.defaults()
                    .withChunkMax(7)
                    .withLanesMax(1)
                    .withSessionTimeout(Duration.ofSeconds(6));
            List<PosthasteConsumer> members = new ArrayList<>();
            members.add(scene.start(scene.builder(BLOCK, careless).settings(settings)));
            for (int round = 0; round < 5; round++) {
                for (int partition = 0; partition < partitions; partition++) {
                    scene.publish("due-notice", partition, mixed(partition, keys / partitions, round * 5 + 1, random));
                }
                int atLeast = (round + 1) * keys;
                soon().until(() -> scene.effects("due-notice").size() >= atLeast);
                if (round % 2 == 0) {
                    members.add(scene.start(scene.builder(BLOCK, careless).settings(settings)));
                } else {
                    members.remove(0).drain(round == 1 ? Duration.ZERO : Duration.ofSeconds(30));
                }
            }
            soon().until(() -> scene.effects("due-notice").size() >= keys * perKey);
            assertThat(scene.query(OUT_OF_ORDER))
                    .as("out of order, missing or doubled")
                    .containsExactly("0");
            assertThat(scene.query("SELECT count(*) FROM effect")).containsExactly(String.valueOf(keys * perKey));
            assertThat(scene.completed("due-notice")).hasSize(keys * perKey);
            assertThat(failures.get()).as("it did fail").isGreaterThan(keys * perKey / 20);
            soon().until(() ->
                    scene.query("SELECT message_id FROM inbox.outgoing").isEmpty());
        }
    }

    /** The next five messages of every key of a partition, in a random mixture. */
    private static List<TestMessage> mixed(int partition, int keys, int first, Random random) {
        List<Integer> turns = new ArrayList<>();
        for (int i = 0; i < keys * 5; i++) {
            turns.add(i % keys);
        }
        Collections.shuffle(turns, random);
        int[] next = new int[keys];
        List<TestMessage> messages = new ArrayList<>();
        for (int key : turns) {
            messages.add(TestMessage.of(new Loan("member-" + partition + "-" + key, first + next[key]++)));
        }
        return messages;
    }
}
