package dev.posthaste.consumer;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import java.util.stream.IntStream;

import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;

import dev.posthaste.schemas.MessageHeaders;
import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.ReportedCase;
import dev.posthaste.testkit.Stack;

import static dev.posthaste.consumer.Handler.handler;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** A handler with an idempotency key of its own: one effect per key, whatever messages bring it. */
@PosthasteStack
class BusinessKeyTest {

    private static ConditionFactory soon() {
        return await().atMost(Duration.ofSeconds(30));
    }

    private static Handler.Reading<Loan> byMember() {
        return handler("due-notice").on(Loan.TYPE, 1, Loan.class).idempotentBy(event -> event.payload()
                .member());
    }

    private static TestMessage stagedDaysAgo(int days, Loan loan) {
        return TestMessage.of(loan)
                .with(
                        MessageHeaders.STAGED_AT,
                        Instant.now().minus(days, ChronoUnit.DAYS).toString());
    }

    @ReportedCase(45)
    @Test
    void businessKeyOnAnotherDayHasOneEffect(Stack stack) throws Exception {
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            TestMessage first = stagedDaysAgo(3, new Loan("ada", 1));
            TestMessage again = stagedDaysAgo(0, new Loan("ada", 1));
            TestMessage elsewhere = stagedDaysAgo(1, new Loan("ada", 1)).with(MessageHeaders.TENANT, "north");
            TestMessage other = stagedDaysAgo(1, new Loan("ada", 2));
            scene.publish("due-notice", 0, first, again, elsewhere, other);
            scene.start(byMember().handle((event, tx) -> Scene.write("due-notice", event, tx)));

            soon().until(() ->
                    scene.inState("due-notice", "completed") == 3 && scene.inState("due-notice", "dead-letter") == 1);
            assertThat(scene.query("SELECT message_id FROM effect ORDER BY seq"))
                    .as("one effect for each tenant")
                    .containsExactly(first.id().toString(), elsewhere.id().toString());
            assertThat(scene.attempts("due-notice", "duplicate")).isEqualTo(1);
            assertThat(scene.query("SELECT code || ' ' || message_id || ' ' || last_error FROM inbox.delivery"
                            + " WHERE state = 'dead-letter'"))
                    .as("another payload under the key is never silent")
                    .singleElement()
                    .asString()
                    .startsWith("idempotency-conflict " + other.id())
                    .contains("another payload by message " + first.id());
            soon().untilAsserted(() -> assertThat(scene.deadLetters("due-notice"))
                    .singleElement()
                    .satisfies(letter -> assertThat(letter.value()).isEqualTo(other.value())));
        }
    }

    @Test
    void messagesWithOneKeyInOneChunkHaveOneEffectAndAConflictAmongThemHoldsUpNobody(Stack stack) throws Exception {
        List<Integer> together = new CopyOnWriteArrayList<>();
        Handler.Reading<Loan> byNumber = handler("due-notice")
                .on(Loan.TYPE, 1, Loan.class)
                .idempotentBy(event -> "loan " + event.payload().n() % 1_000);
        Handler batch = byNumber.handleAll((events, tx) -> {
            together.add(events.size());
            for (Event<Loan> event : events) {
                Scene.write("due-notice", event, tx);
            }
        });
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            // The first records of a partition run one by one.
            scene.publish("due-notice", 0, loans(IntStream.range(500, 510)));
            scene.start(scene.builder(batch)
                    .settings(ConsumerSettings.defaults().withChunkMax(10).withSessionTimeout(Duration.ofSeconds(6))));
            soon().until(() -> scene.effects("due-notice").size() == 10);

            scene.publish("due-notice", 0, loans(IntStream.of(1, 1, 2, 3, 3, 1)));
            soon().until(() -> scene.completed("due-notice").size() == 16);
            assertThat(scene.effects("due-notice").subList(10, 13)).containsExactly("1", "2", "3");
            assertThat(scene.attempts("due-notice", "duplicate")).isEqualTo(3);
            assertThat(together).as("they did share a chunk").contains(3);

            scene.publish("due-notice", 0, loans(IntStream.of(4, 1001, 5, 1005, 4)));
            soon().until(() ->
                    scene.inState("due-notice", "dead-letter") == 2 && scene.inState("due-notice", "completed") == 19);
            assertThat(scene.effects("due-notice").subList(13, 15)).containsExactly("4", "5");
            assertThat(scene.query("SELECT DISTINCT code FROM inbox.delivery WHERE state = 'dead-letter'"))
                    .containsExactly("idempotency-conflict");
        }
    }

    private static List<TestMessage> loans(IntStream numbers) {
        return numbers.mapToObj(n -> TestMessage.of(new Loan("ada-lovelace", n)))
                .toList();
    }

    @SuppressWarnings("NullAway") // what Java lets a user write
    @Test
    void theLongestKeyOfTheLongestTenantFitsTheIndexAndALongerOneIsADeadLetter(Stack stack) throws Exception {
        String longest = random(512, 0x4E00, 0x9FA5);
        String pairs = random(256, 0x20000, 0x2A6D0);
        String tenant = random(200, 0x20000, 0x2A6D0);
        List<String> keys = Arrays.asList(longest, pairs, pairs + "x", null, " ");
        Handler keyed = handler("due-notice")
                .on(Loan.TYPE, 1, Loan.class)
                .idempotentBy(event -> keys.get(event.payload().n()))
                .handle((event, tx) -> Scene.write("due-notice", event, tx));
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            scene.publish(
                    "due-notice",
                    0,
                    IntStream.range(0, keys.size())
                            .mapToObj(n -> TestMessage.of(new Loan("ada", n)).with(MessageHeaders.TENANT, tenant))
                            .toList());
            scene.start(keyed);

            soon().until(() ->
                    scene.inState("due-notice", "completed") == 2 && scene.inState("due-notice", "dead-letter") == 3);
            assertThat(scene.query("SELECT key FROM inbox.business_key")).containsExactlyInAnyOrder(longest, pairs);
            assertThat(scene.query("SELECT last_error FROM inbox.delivery WHERE code = 'bad-idempotency-key'"))
                    .hasSize(3)
                    .anySatisfy(error -> assertThat(error).contains("has 513 UTF-16 characters, but at most 512"))
                    .anySatisfy(error -> assertThat(error).contains("its idempotency key is null"))
                    .anySatisfy(error -> assertThat(error).contains("its idempotency key is blank"));
        }
    }

    /** Nothing compresses it. */
    private static String random(int characters, int from, int to) {
        return new Random(7)
                .ints(characters, from, to)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    @Test
    void aFailedAttemptLeavesNoKeyBehind(Stack stack) throws Exception {
        TestMessage failing = TestMessage.of(new Loan("ada", 1));
        TestMessage second = TestMessage.of(new Loan("ada", 1));
        List<UUID> ran = new CopyOnWriteArrayList<>();
        Handler failsOnce = byMember().handle((event, tx) -> {
            ran.add(event.id());
            Scene.write("due-notice", event, tx);
            if (event.id().equals(failing.id())) {
                throw new IllegalStateException("not this one");
            }
        });
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            scene.publish("due-notice", 0, failing, second);
            scene.start(failsOnce);
            soon().until(() -> scene.completed("due-notice").size() == 2);
            assertThat(scene.query("SELECT message_id FROM effect"))
                    .containsExactly(second.id().toString());
            assertThat(ran)
                    .as("its retry found the effect of the other and was not run")
                    .containsExactly(failing.id(), second.id());
            assertThat(scene.query("SELECT message_id FROM inbox.business_key"))
                    .containsExactly(second.id().toString());
            assertThat(scene.attempts("due-notice", "duplicate")).isEqualTo(1);
        }
    }

    @ReportedCase(45)
    @Test
    void aLeasedHandlerCallsOnceForAKeyAndOthersWithItWaitAtNoAttempt(Stack stack) throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        List<UUID> called = new CopyOnWriteArrayList<>();
        List<String> providers = new CopyOnWriteArrayList<>();
        Handler calls = handler("charge")
                .on(Loan.TYPE, 1, Loan.class)
                .idempotentBy(event -> event.payload().member())
                .call((event, call) -> {
                    called.add(event.id());
                    providers.add(call.idempotencyKey());
                    goOn.await();
                    return call.delivery().attempt() == 1 ? Outcome.retryAfter(Duration.ofMillis(1)) : Outcome.done();
                });
        try (Scene scene = Scene.open(stack, 2, "charge")) {
            TestMessage first = TestMessage.of(new Loan("ada", 1));
            TestMessage same = TestMessage.of(new Loan("ada", 1));
            TestMessage other = TestMessage.of(new Loan("ada", 2));
            TestMessage elsewhere = TestMessage.of(new Loan("ada", 1)).with(MessageHeaders.TENANT, "north");
            scene.publish("charge", 0, first);
            scene.start(scene.builder(Catalogs.leased("charge"), calls));
            soon().until(() -> called.size() == 1);
            scene.publish("charge", 1, same, other);
            soon().until(() -> scene.inState("charge", "dead-letter") == 1);
            assertThat(scene.query("SELECT code || ' ' || (attempt - forgiven) FROM inbox.delivery"
                            + " WHERE message_id = '" + same.id() + "'"))
                    .containsExactly("key-in-use 0");
            goOn.countDown();
            soon().until(() -> scene.completed("charge").size() == 2);
            assertThat(called)
                    .as("twice for the first, whose first call was not its last")
                    .containsOnly(first.id());
            assertThat(called).hasSize(2);
            assertThat(providers).containsOnly(providers.get(0)).allMatch(key -> key.matches("[0-9a-f]{64}"));
            assertThat(scene.query("SELECT message_id || ' ' || code FROM inbox.delivery WHERE state = 'dead-letter'"))
                    .containsExactly(other.id() + " idempotency-conflict");

            scene.publish("charge", 1, elsewhere);
            soon().until(() -> scene.completed("charge").size() == 3);
            assertThat(called).last().isEqualTo(elsewhere.id());
            assertThat(providers).last().as("another tenant's").isNotEqualTo(providers.get(0));
        }
    }

    @Test
    void aLeasedDeadLetterGivesItsKeyBack(Stack stack) throws Exception {
        TestMessage failing = TestMessage.of(new Loan("ada", 1));
        Handler calls = handler("charge")
                .on(Loan.TYPE, 1, Loan.class)
                .idempotentBy(event -> event.payload().member())
                .call((event, call) -> event.id().equals(failing.id())
                        ? Outcome.dead("no-such-member", "the member left")
                        : Outcome.done());
        try (Scene scene = Scene.open(stack, 1, "charge")) {
            TestMessage second = TestMessage.of(new Loan("ada", 1));
            scene.publish("charge", 0, failing, second);
            scene.start(scene.builder(Catalogs.leased("charge"), calls));
            soon().until(() -> scene.completed("charge").equals(List.of(second.id())));
            assertThat(scene.query("SELECT message_id FROM inbox.business_key"))
                    .containsExactly(second.id().toString());
        }
    }

    @Test
    void aMessageWithoutAUsableKeyIsADeadLetterAtOnce(Stack stack) throws Exception {
        Handler odd = handler("due-notice")
                .on(Loan.TYPE, 1, Loan.class)
                .idempotentBy(oddKeys())
                .handle((event, tx) -> Scene.write("due-notice", event, tx));
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            scene.publish("due-notice", 0, loans(IntStream.range(0, 6)));
            scene.start(odd);
            soon().until(() -> scene.inState("due-notice", "dead-letter") == 5
                    && scene.effects("due-notice").equals(List.of("5")));
            assertThat(scene.query("SELECT code || ' ' || attempt || ' ' || last_error FROM inbox.delivery"
                            + " WHERE state = 'dead-letter'"))
                    .allSatisfy(letter -> assertThat(letter)
                            .startsWith("bad-idempotency-key 1 ")
                            .doesNotContain("ada-lovelace"))
                    .anySatisfy(letter -> assertThat(letter).contains("is blank"))
                    .anySatisfy(letter -> assertThat(letter).contains("513 UTF-16 characters, but at most 512"))
                    .anySatisfy(letter -> assertThat(letter).contains("NUL"))
                    .anySatisfy(letter -> assertThat(letter).contains("idempotentBy", "IllegalArgumentException"));
        }
    }

    @SuppressWarnings("NullAway") // null is what it is about
    private static Function<Event<Loan>, String> oddKeys() {
        return event -> switch (event.payload().n()) {
            case 0 ->
                throw new IllegalArgumentException(
                        "no key in " + event.payload().member());
            case 1 -> null;
            case 2 -> " \t";
            case 3 -> "k".repeat(513);
            case 4 -> "a\0b";
            default -> "k".repeat(512);
        };
    }
}
