package dev.posthaste.consumer;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import javax.sql.DataSource;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import ch.qos.logback.core.read.ListAppender;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.Stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@PosthasteStack
class StoreOutageTest {

    private static ConditionFactory soon() {
        return await().atMost(Duration.ofSeconds(60));
    }

    private static void admin(Scene scene, String sql) throws Exception {
        try (var connection = scene.stack.postgres().connect("postgres");
                var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** The server refuses this database and ends all its sessions. */
    static void takeAway(Scene scene) throws Exception {
        admin(scene, "ALTER DATABASE " + scene.database + " ALLOW_CONNECTIONS false");
        admin(scene, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" + scene.database + "'");
    }

    static void giveBack(Scene scene) throws Exception {
        admin(scene, "ALTER DATABASE " + scene.database + " ALLOW_CONNECTIONS true");
    }

    private static double gauge(Scene scene, String store) {
        return scene.meters
                .get("posthaste.store.available")
                .tag("store", store)
                .gauge()
                .value();
    }

    /** The database is there: it must not look like an outage, which would stop all handlers and never end. */
    @Test
    void aRecordThatTheInboxRefusesStandsStillVisiblyAndStopsNoOtherHandler(Stack stack) throws Exception {
        Handler calls = Handler.handler("charge").on(Loan.TYPE, 1, Loan.class).call((event, call) -> Outcome.done());
        try (Scene scene = Scene.open(stack, 1, "due-notice", "charge")) {
            TestMessage refused = TestMessage.of(new Loan("ada", 2));
            scene.execute(
                    "ALTER TABLE inbox.delivery ADD CONSTRAINT refused CHECK (message_id <> '" + refused.id() + "')");
            PosthasteConsumer consumer = scene.start(Scene.writing("due-notice"));
            PosthasteConsumer leased = scene.start(scene.builder(Catalogs.leased("charge"), calls));
            for (String handler : List.of("due-notice", "charge")) {
                scene.publish(
                        handler, 0, TestMessage.of(new Loan("ada", 1)), refused, TestMessage.of(new Loan("ada", 3)));
            }
            for (PosthasteConsumer each : List.of(consumer, leased)) {
                soon().untilAsserted(
                                () -> assertThat(each.health().handlers().get(0).stopped())
                                        .singleElement()
                                        .satisfies(stopped -> {
                                            assertThat(stopped.reason()).isEqualTo(StopReason.INBOX_REFUSED);
                                            assertThat(stopped.messageId()).isEqualTo(refused.id());
                                            assertThat(stopped.summary()).contains("refused");
                                        }));
                assertThat(each.health().inboxAvailable()).isTrue();
            }
            assertThat(scene.effects("due-notice")).as("what comes before it").containsExactly("1");
            assertThat(scene.completed("charge")).hasSize(1);
        }
    }

    @Test
    void aDatabaseThatIsAwayIsNoFailedMessage(Stack stack) throws Exception {
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        Logger logger = (Logger) LoggerFactory.getLogger("dev.posthaste.consumer");
        log.start();
        logger.addAppender(log);
        try (Scene scene = Scene.open(stack, 3, "due-notice")) {
            PosthasteConsumer consumer = scene.start(Scene.writing("due-notice"));
            scene.publish("due-notice", 0, TestMessage.of(new Loan("ada", 0)));
            soon().until(() -> scene.effects("due-notice").size() == 1);
            assertThat(gauge(scene, "inbox")).isEqualTo(1);
            assertThat(consumer.health().isReady()).isTrue();

            takeAway(scene);
            for (int partition = 0; partition < 3; partition++) {
                scene.publish(
                        "due-notice",
                        partition,
                        IntStream.rangeClosed(1, 100)
                                .mapToObj(n -> TestMessage.of(new Loan("ada", n)))
                                .toList());
            }
            soon().until(() -> gauge(scene, "inbox") == 0);
            assertThat(consumer.health().isReady()).isFalse();
            // Long enough for several tries of every lane.
            await().during(Duration.ofSeconds(3))
                    .atMost(Duration.ofSeconds(10))
                    .until(() -> consumer.health().stopped().isEmpty());
            giveBack(scene);

            soon().until(() -> scene.effects("due-notice").size() >= 301);
            assertThat(scene.effects("due-notice")).hasSize(301);
            assertThat(consumer.health().isReady()).isTrue();
            assertThat(gauge(scene, "inbox")).isEqualTo(1);
            assertThat(scene.attempts("due-notice", "failed")).isZero();
            assertThat(log.list.stream().filter(event -> event.getLevel().isGreaterOrEqual(Level.WARN)))
                    .as("one line for the outage, however many tries")
                    .hasSize(1);
        } finally {
            logger.detachAppender(log);
        }
    }

    @Test
    void unreadyHostPollsNoStore(Stack stack) throws Exception {
        AtomicInteger asked = new AtomicInteger();
        try (Scene scene = Scene.open(stack, 3, "due-notice", "statistics");
                GateLog log = new GateLog()) {
            PosthasteConsumer consumer =
                    scene.start(scene.builder(Scene.writing("due-notice"), Scene.writing("statistics"))
                            .dataSource(counting(scene.dataSource, asked)));
            soon().until(() -> consumer.health().isReady());
            takeAway(scene);
            for (String handler : List.of("due-notice", "statistics")) {
                for (int partition = 0; partition < 3; partition++) {
                    scene.publish(
                            handler,
                            partition,
                            IntStream.rangeClosed(1, 50)
                                    .mapToObj(n -> TestMessage.of(new Loan("ada", n)))
                                    .toList());
                }
            }
            soon().until(() -> !consumer.health().inboxAvailable());
            int before = asked.get();
            await().during(Duration.ofSeconds(4)).atMost(Duration.ofSeconds(10)).until(() -> !consumer.health()
                    .inboxAvailable());
            int while4Seconds = asked.get() - before;
            assertThat(gauge(scene, "inbox")).isZero();
            giveBack(scene);
            soon().until(() -> scene.effects("due-notice").size()
                            + scene.effects("statistics").size()
                    == 300);

            // 6 lanes and 4 pollers: without the gate each would have asked in every pause.
            assertThat(while4Seconds)
                    .as("connections asked for while it was away, of which each was a try of the one that may")
                    .isBetween(2, log.failedTries() + 5);
            assertThat(scene.query("SELECT count(*) FROM inbox.journal")).containsExactly("0");
        }
    }

    private static DataSource counting(DataSource source, AtomicInteger asked) {
        return (DataSource) Proxy.newProxyInstance(
                StoreOutageTest.class.getClassLoader(),
                new Class<?>[] {DataSource.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("getConnection")) {
                        asked.incrementAndGet();
                    }
                    try {
                        return method.invoke(source, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    /** Reads how many tries the gate has counted from the line that ends the outage. */
    private static final class GateLog extends AppenderBase<ILoggingEvent> implements AutoCloseable {

        private final Logger logger = (Logger) LoggerFactory.getLogger("dev.posthaste.consumer.internal.StoreGate");
        private final AtomicInteger failedTries = new AtomicInteger();

        GateLog() {
            start();
            logger.addAppender(this);
        }

        @Override
        protected void append(ILoggingEvent event) {
            if (event.getMessage().contains("available again")
                    && event.getArgumentArray()[1] instanceof Integer tries) {
                failedTries.addAndGet(tries);
            }
        }

        int failedTries() {
            return failedTries.get();
        }

        @Override
        public void close() {
            logger.detachAppender(this);
        }
    }

    @Test
    void sessionsEndedInTheMiddleOfAChunkCostNothing(Stack stack) throws Exception {
        try (Scene scene = Scene.open(stack, 2, "due-notice")) {
            Handler slow = Handler.handler("due-notice")
                    .on(Loan.TYPE, 1, Loan.class)
                    .handle((event, tx) -> {
                        try (var statement = tx.connection().createStatement()) {
                            statement.execute("SELECT pg_sleep(0.01)");
                        }
                        Scene.write("due-notice", event, tx);
                    });
            for (int partition = 0; partition < 2; partition++) {
                scene.publish(
                        "due-notice",
                        partition,
                        IntStream.rangeClosed(1, 400)
                                .mapToObj(n -> TestMessage.of(new Loan("ada", n)))
                                .toList());
            }
            PosthasteConsumer consumer = scene.start(slow);
            for (int i = 0; i < 4; i++) {
                int before = scene.effects("due-notice").size();
                soon().until(() -> !scene.query(
                                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%pg_sleep(0.01)%' AND pid <> pg_backend_pid()")
                        .isEmpty());
                soon().until(() -> scene.effects("due-notice").size() > before);
            }
            soon().until(() -> scene.effects("due-notice").size() >= 800);
            assertThat(scene.query("SELECT count(DISTINCT message_id) FROM effect"))
                    .containsExactly("800");
            assertThat(scene.effects("due-notice")).hasSize(800);
            assertThat(consumer.health().stopped()).isEmpty();
            assertThat(scene.attempts("due-notice", "failed")).isZero();
        }
    }

    @Test
    void aMissingInboxIsWaitedForAndSaid(Stack stack) throws Exception {
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            scene.execute("ALTER SCHEMA inbox RENAME TO inbox_not_yet");
            scene.publish("due-notice", 0, TestMessage.of(new Loan("ada", 1)));
            PosthasteConsumer consumer = scene.start(Scene.writing("due-notice"));
            soon().until(() -> !consumer.health().inboxAvailable());
            soon().untilAsserted(() ->
                    assertThat(consumer.health().inboxProblem()).contains("does not exist", "posthaste init --inbox"));
            scene.execute("ALTER SCHEMA inbox_not_yet RENAME TO inbox");

            soon().until(() -> scene.effects("due-notice").size() == 1);
            assertThat(consumer.health().inboxAvailable()).isTrue();
            assertThat(consumer.health().inboxProblem()).isNull();
        }
    }

    @Test
    void aMissingTopicIsNamedWithWhatToDo(Stack stack) throws Exception {
        try (Scene scene = Scene.open(stack, 1);
                WarningLog log = new WarningLog()) {
            PosthasteConsumer consumer = scene.start(Scene.writing("due-notice"));
            String says =
                    "there is no topic " + scene.topic("due-notice") + "; make it, or have `posthaste init` make it";
            soon().untilAsserted(
                            () -> assertThat(consumer.health().handlers().get(0).kafkaProblem())
                                    .contains(says));
            assertThat(log.lines()).anyMatch(line -> line.contains(says));
        }
    }
}
