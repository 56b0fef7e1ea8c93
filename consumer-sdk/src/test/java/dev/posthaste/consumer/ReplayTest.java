package dev.posthaste.consumer;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;

import dev.posthaste.consumer.replay.DeadLetterQuery;
import dev.posthaste.consumer.replay.InboxDesk;
import dev.posthaste.consumer.replay.JournalEntry;
import dev.posthaste.consumer.replay.ReplayReport;
import dev.posthaste.consumer.replay.Selection;
import dev.posthaste.schemas.MessageHeaders;
import dev.posthaste.schemas.catalog.OnDeadLetter;
import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.ReportedCase;
import dev.posthaste.testkit.Stack;

import static dev.posthaste.consumer.Handler.handler;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Dead letters brought back by an operator, while the consumer runs. */
@PosthasteStack
class ReplayTest {

    private static final String WHY = "the provider is back";

    private static ConditionFactory soon() {
        return await().atMost(Duration.ofSeconds(30));
    }

    private static List<TestMessage> loans(String member, int from, int to) {
        return IntStream.rangeClosed(from, to)
                .mapToObj(n -> TestMessage.of(new Loan(member, n)))
                .toList();
    }

    /** Dead at once, as long as it is ill; then it writes its row. */
    private static Handler illUntil(AtomicBoolean healthy, List<Delivery> calls) {
        return handler("due-notice").on(Loan.TYPE, 1, Loan.class).decide((event, tx) -> {
            calls.add(tx.delivery());
            if (!healthy.get()) {
                return Outcome.dead("provider-away", "it does not answer");
            }
            Scene.write("due-notice", event, tx);
            return Outcome.done();
        });
    }

    @ReportedCase(27)
    @Test
    void aDeadLetterRunsAtEachReplayAndOnceItsEffectIsThereAReplaySaysSo(Stack stack) throws Exception {
        AtomicBoolean healthy = new AtomicBoolean();
        List<Delivery> calls = new CopyOnWriteArrayList<>();
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            InboxDesk desk = new InboxDesk(scene.dataSource);
            TestMessage message = loans("ada", 1, 1).get(0);
            scene.publish("due-notice", 0, message);
            scene.start(illUntil(healthy, calls));
            soon().until(() -> scene.deadLetters("due-notice").size() == 1);

            ReplayReport first = desk.requeue("due-notice", "", message.id(), "ada", WHY);
            assertThat(first.requeued()).isEqualTo(1);
            soon().until(() -> calls.size() == 2 && scene.inState("due-notice", "dead-letter") == 1);
            soon().until(() -> scene.deadLetters("due-notice").size() == 2);

            healthy.set(true);
            ReplayReport second = desk.requeue("due-notice", "", message.id(), "bob", WHY);
            soon().until(() -> scene.effects("due-notice").equals(List.of("1")));
            ReplayReport third = desk.requeue("due-notice", "", message.id(), "bob", WHY);
            assertThat(third.requeued()).isZero();
            assertThat(third.alreadyDone()).isEqualTo(1);

            assertThat(calls).extracting(Delivery::attempt).containsExactly(1, 2, 3);
            assertThat(calls).extracting(Delivery::replayed).containsExactly(false, true, true);
            List<ConsumerRecord<byte[], byte[]>> retries = scene.records(scene.topic("due-notice") + ".retry");
            assertThat(retries)
                    .extracting(record -> Scene.header(record, MessageHeaders.REPLAY))
                    .containsExactly(first.id().toString(), second.id().toString());
            assertThat(retries).allSatisfy(record -> {
                assertThat(record.value()).isEqualTo(message.value());
                assertThat(Scene.header(record, MessageHeaders.CE_ID))
                        .isEqualTo(message.id().toString());
            });
        }
    }

    @Test
    void aReplayedMessageHasAllItsAttemptsAgain(Stack stack) throws Exception {
        AtomicInteger calls = new AtomicInteger();
        Handler fails = handler("due-notice").on(Loan.TYPE, 1, Loan.class).handle((event, tx) -> {
            if (calls.incrementAndGet() <= 5) {
                throw new IllegalStateException("not yet");
            }
            Scene.write("due-notice", event, tx);
        });
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            scene.publish("due-notice", 0, loans("ada", 1, 1));
            scene.start(fails);
            soon().until(() -> scene.inState("due-notice", "dead-letter") == 1);
            assertThat(calls).hasValue(3);
            InboxDesk desk = new InboxDesk(scene.dataSource);
            desk.replay(desk.select(DeadLetterQuery.of("due-notice")), "ada", WHY, 100);
            soon().until(() -> scene.effects("due-notice").size() == 1);
            assertThat(scene.query("SELECT attempt || ' ' || forgiven FROM inbox.delivery"))
                    .containsExactly("6 3");
        }
    }

    @ReportedCase(35)
    @Test
    void aFrozenSelectionReplaysEachOnceThoughItIsReplayedTwiceWhileFailuresArrive(Stack stack) throws Exception {
        AtomicInteger healthyUpTo = new AtomicInteger();
        Handler ill = handler("due-notice").on(Loan.TYPE, 1, Loan.class).decide((event, tx) -> {
            if (event.payload().n() > healthyUpTo.get()) {
                return Outcome.dead("provider-away", "it does not answer");
            }
            Scene.write("due-notice", event, tx);
            return Outcome.done();
        });
        ExecutorService operators = Executors.newFixedThreadPool(3);
        try (Scene scene = Scene.open(stack, 2, "due-notice")) {
            List<TestMessage> selected = loans("ada", 1, 700);
            scene.publish("due-notice", 0, selected.subList(0, 350));
            scene.publish("due-notice", 1, selected.subList(350, 700));
            scene.start(ill);
            soon().until(() -> scene.inState("due-notice", "dead-letter") == 700);

            InboxDesk desk = new InboxDesk(scene.dataSource);
            DeadLetterQuery all = DeadLetterQuery.of("due-notice").withCode("provider-away");
            Selection selection = desk.select(all);
            Selection sameAgain = desk.select(all);
            assertThat(List.of(selection.size(), sameAgain.size()))
                    .as("the count is known before anything is replayed")
                    .containsExactly(700, 700);
            healthyUpTo.set(700);
            List<TestMessage> late = loans("ada", 701, 760);
            List<Callable<ReplayReport>> clicks = List.of(
                    () -> desk.replay(selection, "ada", WHY, 2_000),
                    () -> new InboxDesk(scene.dataSource).replay(selection, "ada", WHY, 2_000),
                    () -> {
                        late.forEach(message -> scene.publish("due-notice", 0, message));
                        return desk.replay(sameAgain, "bob", WHY, 2_000);
                    });
            List<ReplayReport> reports = new ArrayList<>();
            for (Future<ReplayReport> click : operators.invokeAll(clicks)) {
                reports.add(click.get());
            }
            soon().until(() ->
                    scene.effects("due-notice").size() == 700 && scene.inState("due-notice", "dead-letter") == 60);
            assertThat(reports.get(0)).isEqualTo(reports.get(1));
            assertThat(reports.get(0).requeued() + reports.get(2).requeued()).isEqualTo(700);
            assertThat(reports)
                    .allSatisfy(report -> assertThat(report.undecided()).isZero());
            assertThat(scene.query("SELECT DISTINCT n FROM effect")).hasSize(700);
            assertThat(scene.query("SELECT count(*) || ' ' || string_agg(DISTINCT outcome, ' ') FROM inbox.journal"
                            + " GROUP BY message_id"))
                    .as("what failed meanwhile was in no selection")
                    .hasSize(760)
                    .filteredOn(entries -> entries.equals("3 completed dead-letter replayed"))
                    .hasSize(700);
            assertThat(scene.query("SELECT count(*) FROM inbox.journal WHERE outcome = 'dead-letter'"))
                    .containsExactly("760");
        } finally {
            operators.shutdownNow();
        }
    }

    @Test
    void behindABlockedKeyTheReplayedHeadKeepsItsPlaceAndTheOthersFollowInOrder(Stack stack) throws Exception {
        AtomicBoolean healthy = new AtomicBoolean();
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            scene.publish("due-notice", 0, loans("ada", 1, 5));
            scene.start(scene.builder(
                    Catalogs.perKey("due-notice", OnDeadLetter.BLOCK),
                    illUntil(healthy, new CopyOnWriteArrayList<>())));
            soon().until(() ->
                    scene.inState("due-notice", "dead-letter") == 1 && scene.inState("due-notice", "pending") == 4);
            InboxDesk desk = new InboxDesk(scene.dataSource);
            Selection head = desk.select(DeadLetterQuery.of("due-notice").withKey("ada"));
            assertThat(head.size()).isEqualTo(1);
            desk.replay(head, "ada", "just to see", 10);
            soon().until(() -> scene.query("SELECT entry FROM inbox.journal WHERE outcome = 'dead-letter'")
                            .size()
                    == 2);
            assertThat(scene.effects("due-notice"))
                    .as("it failed again, and blocks")
                    .isEmpty();
            healthy.set(true);
            desk.replay(desk.select(DeadLetterQuery.of("due-notice")), "ada", WHY, 10);
            soon().until(() -> scene.effects("due-notice").size() == 5);
            assertThat(scene.effects("due-notice")).containsExactly("1", "2", "3", "4", "5");
        }
    }

    @Test
    void whereADeadLetterLetsItsKeyPassASelectionRunsInTheOrderInWhichItFailed(Stack stack) throws Exception {
        AtomicBoolean healthy = new AtomicBoolean();
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            scene.publish("due-notice", 0, loans("ada", 1, 20));
            scene.start(scene.builder(
                    Catalogs.perKey("due-notice", OnDeadLetter.PASS), illUntil(healthy, new CopyOnWriteArrayList<>())));
            soon().until(() -> scene.inState("due-notice", "dead-letter") == 20);
            healthy.set(true);
            InboxDesk desk = new InboxDesk(scene.dataSource);
            desk.replay(desk.select(DeadLetterQuery.of("due-notice")), "ada", WHY, 1_000);
            soon().until(() -> scene.effects("due-notice").size() == 20);
            assertThat(scene.effects("due-notice"))
                    .isEqualTo(IntStream.rangeClosed(1, 20)
                            .mapToObj(String::valueOf)
                            .toList());
        }
    }

    @Test
    void aDiscardedDeadLetterLetsItsKeyGoOn(Stack stack) throws Exception {
        Handler failsAt1 = handler("due-notice").on(Loan.TYPE, 1, Loan.class).decide((event, tx) -> {
            if (event.payload().n() == 1) {
                return Outcome.dead("no-such-member", "gone");
            }
            Scene.write("due-notice", event, tx);
            return Outcome.done();
        });
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            List<TestMessage> messages = loans("ada", 1, 3);
            scene.publish("due-notice", 0, messages);
            scene.start(scene.builder(Catalogs.perKey("due-notice", OnDeadLetter.BLOCK), failsAt1));
            soon().until(() -> scene.inState("due-notice", "pending") == 2);
            InboxDesk desk = new InboxDesk(scene.dataSource);
            UUID head = messages.get(0).id();
            assertThat(desk.discard("due-notice", "", head, "ada", "the member left"))
                    .isTrue();
            soon().until(() -> scene.effects("due-notice").equals(List.of("2", "3")));
            assertThat(scene.inState("due-notice", "discarded")).isEqualTo(1);
            assertThat(desk.requeue("due-notice", "", head, "ada", "a mistake").noDeadLetter())
                    .isEqualTo(1);
        }
    }

    @Test
    void whatCouldNotBeReadIsReplayedToACodeThatReadsIt(Stack stack) throws Exception {
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            TestMessage odd = loans("ada", 1, 1).get(0).with(MessageHeaders.STAGED_AT, null);
            TestMessage json = TestMessage.of(Loan.TYPE, 1, "ada", "{\"member\":\"ada\",\"n\":\"x\"}");
            scene.publish("due-notice", 0, odd, json);
            PosthasteConsumer old = scene.start(Scene.writing("due-notice"));
            soon().until(() -> scene.inState("due-notice", "dead-letter") == 2);
            InboxDesk desk = new InboxDesk(scene.dataSource);
            desk.replay(desk.select(DeadLetterQuery.of("due-notice")), "ada", "just to see", 10);
            soon().until(() -> scene.query("SELECT entry FROM inbox.journal WHERE outcome = 'dead-letter'")
                            .size()
                    == 4);
            old.close();

            Handler lenient = handler("due-notice")
                    .on(Loan.TYPE, 1, bytes -> new Loan("ada", 7))
                    .handle((event, tx) -> Scene.write("due-notice", event, tx));
            scene.start(lenient);
            desk.replay(desk.select(DeadLetterQuery.of("due-notice")), "ada", "a lenient reader", 10);
            soon().until(() -> scene.effects("due-notice").equals(List.of("7")));
            soon().until(() -> scene.inState("due-notice", "dead-letter") == 1);
        }
    }

    @ReportedCase(40)
    @Test
    void oneQueryTellsEveryAttemptItsHostAndCauseAndWhoReplayedItAndWhy(Stack stack) throws Exception {
        AtomicInteger calls = new AtomicInteger();
        Handler failsFourTimes = handler("due-notice")
                .on(Loan.TYPE, 1, Loan.class)
                .handle((event, tx) -> {
                    if (calls.incrementAndGet() <= 4) {
                        throw new IllegalStateException("not yet");
                    }
                    Scene.write("due-notice", event, tx);
                });
        Instant before = Instant.now().minusSeconds(5);
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            TestMessage message = loans("ada-lovelace", 1, 1).get(0);
            scene.publish("due-notice", 0, message);
            scene.start(failsFourTimes);
            soon().until(() -> scene.inState("due-notice", "dead-letter") == 1);
            InboxDesk desk = new InboxDesk(scene.dataSource);
            UUID replay =
                    desk.requeue("due-notice", "", message.id(), "ada", WHY).id();
            soon().until(() -> scene.effects("due-notice").size() == 1);

            List<JournalEntry> history = desk.history(message.id());
            assertThat(history)
                    .extracting(entry -> entry.attempt() + " " + entry.outcome() + " " + entry.code())
                    .containsExactly(
                            "1 failed IllegalStateException",
                            "2 failed IllegalStateException",
                            "3 dead-letter IllegalStateException",
                            "3 replayed IllegalStateException",
                            "4 failed IllegalStateException",
                            "5 completed null");
            assertThat(history).allSatisfy(entry -> {
                assertThat(entry.host()).isNotBlank();
                assertThat(entry.at()).isAfter(before);
                assertThat(entry.handler()).isEqualTo("due-notice");
                assertThat(String.valueOf(entry.summary())).doesNotContain("ada-lovelace");
            });
            assertThat(history.get(3).summary())
                    .as("the failure it answers")
                    .contains("the last of 3 attempts failed", "not yet");
            assertThat(history.get(3))
                    .extracting(JournalEntry::actor, JournalEntry::reason, JournalEntry::replayId)
                    .containsExactly("ada", WHY, replay);
        }
    }
}
