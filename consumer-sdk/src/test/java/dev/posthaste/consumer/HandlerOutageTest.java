package dev.posthaste.consumer;

import java.net.ConnectException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import dev.posthaste.schemas.catalog.Catalog;
import dev.posthaste.schemas.catalog.DeliveryMode;
import dev.posthaste.schemas.catalog.DeliveryOrder;
import dev.posthaste.schemas.catalog.DurableDelivery;
import dev.posthaste.schemas.catalog.HandlerRecord;
import dev.posthaste.schemas.catalog.OnDeadLetter;
import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.ReportedCase;
import dev.posthaste.testkit.Stack;

import static dev.posthaste.consumer.Handler.handler;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Something a handler needs is away, while its database and Kafka are there: the breaker. */
@PosthasteStack
class HandlerOutageTest {

    private static final Duration OUTAGE =
            Boolean.getBoolean("posthaste.full") ? Duration.ofMinutes(10) : Duration.ofSeconds(8);

    /** Three attempts within an hour. */
    private static Catalog catalog(DeliveryMode mode, DeliveryOrder order) {
        return Catalogs.of(
                List.of(Catalogs.event(Loan.TYPE, 1)),
                List.of(new HandlerRecord(
                        "due-notice",
                        "lending",
                        List.of(new HandlerRecord.Subscription(Loan.TYPE, Set.of(1))),
                        mode,
                        order,
                        OnDeadLetter.PASS,
                        new DurableDelivery(
                                "effect-once",
                                "the test's database",
                                "skipped",
                                new DurableDelivery.Retry(
                                        3, Duration.ofMillis(200), Duration.ofSeconds(1), Duration.ofHours(1)),
                                "docs/runbooks/none.md",
                                Duration.ofMinutes(5),
                                new DurableDelivery.Alerts(Duration.ofMinutes(1), 1)))));
    }

    private static final int MESSAGES = 10;
    private static final int LANES = 2;

    private static ConditionFactory soon() {
        return await().atMost(Duration.ofSeconds(30));
    }

    private static List<TestMessage> loans(String member, int from, int to) {
        return IntStream.rangeClosed(from, to)
                .mapToObj(n -> TestMessage.of(new Loan(member, n)))
                .toList();
    }

    private static PosthasteConsumer start(Scene scene, Handler handler) {
        return start(scene, DeliveryMode.TRANSACTIONAL, handler);
    }

    private static PosthasteConsumer start(Scene scene, DeliveryMode mode, Handler handler) {
        return start(scene, mode, DeliveryOrder.UNORDERED, handler);
    }

    private static PosthasteConsumer start(Scene scene, DeliveryMode mode, DeliveryOrder order, Handler handler) {
        return scene.start(scene.builder(catalog(mode, order), handler)
                .settings(ConsumerSettings.defaults()
                        .withLanesMax(LANES)
                        .withSessionTimeout(Duration.ofSeconds(6))
                        .withBreaker(new BreakerSettings(MESSAGES, Duration.ofMillis(500)))));
    }

    private static Handler needing(AtomicBoolean provider) {
        return handler("due-notice").on(Loan.TYPE, 1, Loan.class).handle((event, tx) -> {
            Scene.write("due-notice", event, tx);
            if (!provider.get()) {
                throw new ConnectException("the provider is away");
            }
        });
    }

    private static double breaker(Scene scene) {
        return scene.meters
                .get("posthaste.breaker.open")
                .tag("handler", "due-notice")
                .gauge()
                .value();
    }

    private static OpenBreaker open(PosthasteConsumer consumer) {
        return consumer.health().handlers().get(0).breaker();
    }

    /** Messages that wait and have spent attempts, with how many. */
    private static List<String> spent(Scene scene) {
        return scene.query("SELECT message_id || ' ' || (attempt - forgiven) FROM inbox.delivery"
                + " WHERE state IN ('failed', 'pending') AND attempt > forgiven ORDER BY 1");
    }

    @ReportedCase(30)
    @Test
    void outageSpendsNoAttempt(Stack stack) throws Exception {
        AtomicBoolean provider = new AtomicBoolean();
        try (Scene scene = Scene.open(stack, 2, "due-notice");
                WarningLog log = new WarningLog()) {
            for (int partition = 0; partition < 2; partition++) {
                scene.publish("due-notice", partition, loans("member-" + partition, 1, 150));
            }
            Instant before = Instant.now();
            PosthasteConsumer consumer = start(scene, needing(provider));

            soon().until(() -> breaker(scene) == 1);
            assertThat(consumer.health().isReady()).isFalse();
            assertThat(open(consumer).code()).isEqualTo("ConnectException");
            assertThat(open(consumer).since()).isBetween(before, Instant.now());
            soon().until(() -> scene.attempts("due-notice", "probe-failed") >= 4); // whatever had begun has ended
            List<String> spent = spent(scene);
            await().during(OUTAGE).atMost(OUTAGE.plusSeconds(20)).until(() -> spent(scene)
                    .equals(spent));
            double probes = scene.attempts("due-notice", "probe-failed");
            assertThat(probes).as("it has probed all the while").isGreaterThan(10);
            assertThat(spent).as("messages that have spent attempts").hasSizeBetween(MESSAGES, MESSAGES + LANES - 1);
            assertThat(scene.attempts("due-notice", "failed"))
                    .as("but for retries that came before it paused")
                    .isLessThan(2 * MESSAGES);
            assertThat(scene.effects("due-notice")).isEmpty();

            provider.set(true);
            soon().until(() -> scene.completed("due-notice").size() == 300);
            assertThat(scene.effects("due-notice")).hasSize(300);
            assertThat(scene.inState("due-notice", "dead-letter"))
                    .as("few dead letters: none")
                    .isZero();
            assertThat(breaker(scene)).isZero();
            assertThat(open(consumer)).isNull();
            soon().until(() -> consumer.health().isReady());
            assertThat(log.lines())
                    .as("one line for the pause, however many probes")
                    .singleElement()
                    .asString()
                    .contains("due-notice pauses", "10 different messages", "ConnectException");
        }
    }

    /** A leased probe is a call that was made: it has a number of its own, and counts towards no bound. */
    @ReportedCase(30)
    @Test
    void outageSpendsNoAttemptOfALeasedHandler(Stack stack) throws Exception {
        AtomicBoolean provider = new AtomicBoolean();
        Handler calls = handler("due-notice").on(Loan.TYPE, 1, Loan.class).call((event, call) -> {
            if (!provider.get()) {
                throw new ConnectException("the provider is away");
            }
            return Outcome.done();
        });
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            scene.publish("due-notice", 0, loans("ada", 1, MESSAGES + 1));
            PosthasteConsumer consumer = start(scene, DeliveryMode.LEASED, calls);
            soon().until(() -> breaker(scene) == 1);
            soon().until(() -> scene.attempts("due-notice", "probe-failed") >= 2); // whatever had begun has ended
            List<String> spent = spent(scene);
            double probed = scene.attempts("due-notice", "probe-failed");
            soon().until(() -> scene.attempts("due-notice", "probe-failed") >= probed + 5);
            assertThat(spent).as("attempts that count").containsAll(spent(scene));

            provider.set(true);
            soon().until(() -> scene.completed("due-notice").size() == MESSAGES + 1);
            assertThat(open(consumer)).isNull();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aRunOfPoisonMakesWayForTheGoodBehindItAndEndsAsDeadLetters(DeliveryOrder order, Stack stack) throws Exception {
        int poison = 60;
        int good = 200;
        Handler picky = handler("due-notice").on(Loan.TYPE, 1, Loan.class).handle((event, tx) -> {
            Scene.write("due-notice", event, tx);
            if (event.payload().n() <= poison) {
                throw new IllegalStateException("always");
            }
        });
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            List<TestMessage> all = IntStream.rangeClosed(1, poison + good)
                    .mapToObj(n -> TestMessage.of(new Loan("member-" + n, n)))
                    .toList();
            scene.publish("due-notice", 0, all);
            PosthasteConsumer consumer = start(scene, DeliveryMode.TRANSACTIONAL, order, picky);
            soon().until(() -> breaker(scene) == 1);
            await().atMost(Duration.ofSeconds(90))
                    .until(() -> scene.effects("due-notice").size() == good);
            await().atMost(Duration.ofSeconds(60)).until(() -> scene.inState("due-notice", "dead-letter") == poison);
            assertThat(scene.effects("due-notice")).hasSize(good);
            assertThat(scene.query(
                            "SELECT DISTINCT attempt - forgiven FROM inbox.delivery WHERE state = 'dead-letter'"))
                    .as("as many attempts as its policy says")
                    .containsExactly("3");
            soon().until(() -> consumer.health().isReady());
        }
    }

    @Test
    void poisonAmongSuccessesPausesNobody(Stack stack) throws Exception {
        Handler picky = handler("due-notice").on(Loan.TYPE, 1, Loan.class).handle((event, tx) -> {
            Scene.write("due-notice", event, tx);
            int n = event.payload().n();
            if (n % 4 == 0) {
                throw new IllegalStateException("always");
            }
            if (n % 4 == 1) {
                throw n % 8 == 1 ? new IllegalArgumentException("always") : new ArithmeticException("always");
            }
        });
        try (Scene scene = Scene.open(stack, 1, "due-notice");
                WarningLog log = new WarningLog()) {
            scene.publish("due-notice", 0, loans("ada", 1, 40));
            PosthasteConsumer consumer = start(scene, picky);

            soon().until(() -> scene.completed("due-notice").size() == 20);
            // Only poison comes back now, of three kinds; each is followed by a good one.
            AtomicInteger next = new AtomicInteger(1_002);
            soon().until(() -> {
                scene.publish("due-notice", 0, loans("ada", next.get(), next.getAndAdd(4)));
                return scene.inState("due-notice", "dead-letter") == 20;
            });
            assertThat(log.lines()).noneMatch(line -> line.contains("pauses"));
            soon().until(() -> consumer.health().isReady());
        }
    }

    @Test
    void whereNothingElseIsLeftARetryIsTheProbe(Stack stack) throws Exception {
        AtomicBoolean provider = new AtomicBoolean();
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            scene.publish("due-notice", 0, loans("ada", 1, MESSAGES));
            PosthasteConsumer consumer = start(scene, needing(provider));
            soon().until(() -> breaker(scene) == 1);
            soon().until(() -> scene.attempts("due-notice", "probe-failed") >= 2);
            int spent = Integer.parseInt(scene.query("SELECT sum(attempt - forgiven) FROM inbox.delivery")
                    .get(0));

            provider.set(true);
            soon().until(() -> scene.completed("due-notice").size() == MESSAGES);
            assertThat(scene.query("SELECT sum(attempt - forgiven) FROM inbox.delivery"))
                    .as("the failed probes were no attempts: each message has spent one more, the good one")
                    .containsExactly(String.valueOf(spent + MESSAGES));
            assertThat(consumer.health().isReady()).isTrue();
        }
    }

    @Test
    void whatAHandlerSaysOfItsMessagesIsNoOutage(Stack stack) throws Exception {
        Handler says = handler("due-notice")
                .permanent(IllegalArgumentException.class)
                .on(Loan.TYPE, 1, Loan.class)
                .decide((event, tx) -> {
                    if (event.payload().n() <= 30) {
                        return Outcome.dead("no-such-member", "the member left");
                    }
                    if (event.payload().n() <= 60) {
                        throw new IllegalArgumentException("no such copy");
                    }
                    return tx.delivery().attempt() == 1 ? Outcome.retryAfter(Duration.ofMillis(1)) : Outcome.done();
                });
        try (Scene scene = Scene.open(stack, 1, "due-notice");
                WarningLog log = new WarningLog()) {
            scene.publish("due-notice", 0, loans("ada", 1, 90));
            start(scene, says);
            soon().until(() ->
                    scene.inState("due-notice", "dead-letter") == 60 && scene.inState("due-notice", "completed") == 30);
            assertThat(log.lines()).noneMatch(line -> line.contains("pauses"));
        }
    }
}
