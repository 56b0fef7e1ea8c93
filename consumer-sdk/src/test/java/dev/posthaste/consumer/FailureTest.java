package dev.posthaste.consumer;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import dev.posthaste.schemas.MessageHeaders;
import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.Stack;

import static dev.posthaste.consumer.Handler.handler;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@PosthasteStack
class FailureTest {

    private static ConditionFactory soon() {
        return await().atMost(Duration.ofSeconds(30));
    }

    private static List<TestMessage> loans(String member, int from, int to) {
        return IntStream.rangeClosed(from, to)
                .mapToObj(n -> TestMessage.of(new Loan(member, n)))
                .toList();
    }

    /** Writes its row first and throws afterwards, for loans of the number given. */
    private static Handler failingAt(int n, String message) {
        return handler("due-notice").on(Loan.TYPE, 1, Loan.class).handle((event, tx) -> {
            Scene.write("due-notice", event, tx);
            if (event.payload().n() == n) {
                throw new IllegalStateException(message);
            }
        });
    }

    @Test
    void aHandlerThatThrowsStopsOnlyItsPartitionVisibly(Stack stack) throws Exception {
        try (Scene scene = Scene.open(stack, 2, "due-notice", "statistics");
                Log log = new Log()) {
            List<TestMessage> poisoned = loans("ada-lovelace", 1, 60);
            scene.publish("due-notice", 0, poisoned);
            scene.publish("statistics", 0, poisoned);
            PosthasteConsumer consumer =
                    scene.start(failingAt(55, "no notice for ada-lovelace, loan 55"), Scene.writing("statistics"));
            soon().until(() -> !consumer.health().stopped().isEmpty());
            scene.publish("due-notice", 1, loans("bob", 1001, 1100));

            soon().until(() -> scene.effects("due-notice").size() >= 154
                    && scene.effects("statistics").size() >= 60);
            assertThat(scene.query(
                            "SELECT n FROM effect WHERE handler = 'due-notice' AND key = 'ada-lovelace' ORDER BY seq"))
                    .as("all before the failed one, in order, although they shared its chunk")
                    .isEqualTo(IntStream.rangeClosed(1, 54)
                            .mapToObj(String::valueOf)
                            .toList());
            assertThat(scene.completed("due-notice")).hasSize(154);
            assertThat(consumer.health().isReady()).isFalse();
            assertThat(consumer.health().stopped()).singleElement().satisfies(stopped -> {
                assertThat(stopped.handler()).isEqualTo("due-notice");
                assertThat(stopped.topic()).isEqualTo(scene.topic("due-notice"));
                assertThat(stopped.partition()).isZero();
                assertThat(stopped.offset()).isEqualTo(54);
                assertThat(stopped.messageId()).isEqualTo(poisoned.get(54).id());
                assertThat(stopped.reason()).isEqualTo(StopReason.HANDLER_FAILED);
                assertThat(stopped.errorClass()).isEqualTo(IllegalStateException.class.getName());
                assertThat(stopped.summary()).contains("no notice for ***").doesNotContain("ada-lovelace");
            });
            assertThat(scene.attempts("due-notice", "failed")).isEqualTo(1);
            assertThat(scene.meters
                            .get("posthaste.partitions.stopped")
                            .tag("handler", "due-notice")
                            .gauge()
                            .value())
                    .isEqualTo(1);
            assertThat(log.at(Level.ERROR))
                    .singleElement()
                    .asString()
                    .contains("due-notice stands still", poisoned.get(54).id().toString(), "IllegalStateException")
                    .doesNotContain("ada-lovelace");
            assertThat(scene.committed("due-notice", 0))
                    .as("not past the failed one")
                    .isEqualTo(54);
        }
    }

    @Test
    void afterARestartTheFailedMessageIsTriedAgain(Stack stack) throws Exception {
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            scene.publish("due-notice", 0, loans("ada", 1, 3));
            PosthasteConsumer first = scene.start(failingAt(2, "not today"));
            soon().until(() -> !first.health().stopped().isEmpty());
            first.close();
            assertThat(scene.effects("due-notice")).containsExactly("1");

            PosthasteConsumer second = scene.start(Scene.writing("due-notice"));
            soon().until(() -> scene.effects("due-notice").size() == 3);
            assertThat(scene.effects("due-notice")).containsExactly("1", "2", "3");
            assertThat(second.health().isReady()).isTrue();
        }
    }

    /** Reported case 22, as far as one process goes. */
    @Test
    void aCompletedRowExistsIfAndOnlyIfTheEffectDoes(Stack stack) throws Exception {
        AtomicInteger calls = new AtomicInteger();
        Handler throwsOften = handler("due-notice").on(Loan.TYPE, 1, Loan.class).handle((event, tx) -> {
            Scene.write("due-notice", event, tx);
            if (calls.incrementAndGet() % 7 == 0) {
                throw new IllegalStateException("at random");
            }
        });
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            scene.publish("due-notice", 0, loans("ada", 1, 40));
            int restarts = 0;
            while (scene.effects("due-notice").size() < 40 && restarts < 20) {
                PosthasteConsumer consumer = scene.start(throwsOften);
                soon().until(() -> !consumer.health().stopped().isEmpty()
                        || scene.effects("due-notice").size() == 40);
                consumer.close();
                assertThat(scene.query("SELECT message_id FROM effect ORDER BY 1"))
                        .isEqualTo(scene.query("SELECT message_id FROM inbox.delivery ORDER BY 1"));
                restarts++;
            }
            assertThat(restarts).as("it did fail now and then").isGreaterThan(2);
            assertThat(scene.effects("due-notice"))
                    .isEqualTo(IntStream.rangeClosed(1, 40)
                            .mapToObj(String::valueOf)
                            .toList());
        }
    }

    @Test
    void anSqlErrorThatTheHandlerSwallowsIsNoSuccess(Stack stack) throws Exception {
        Handler swallows = handler("due-notice").on(Loan.TYPE, 1, Loan.class).handle((event, tx) -> {
            Scene.write("due-notice", event, tx);
            try (Statement statement = tx.connection().createStatement()) {
                statement.execute("SELECT no_such_column FROM effect");
            } catch (SQLException swallowed) {
                // and so the transaction is aborted
            }
        });
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            scene.publish("due-notice", 0, loans("ada", 1, 2));
            PosthasteConsumer consumer = scene.start(swallows);

            soon().until(() -> !consumer.health().stopped().isEmpty());
            assertThat(consumer.health().stopped().get(0).summary()).contains("current transaction is aborted");
            assertThat(scene.effects("due-notice")).isEmpty();
            assertThat(scene.completed("due-notice")).isEmpty();
            assertThat(scene.committed("due-notice", 0)).isZero();
        }
    }

    @Test
    void aHandlerThatCommitsBehindTheGuardStopsItsPartition(Stack stack) throws Exception {
        Handler commits = handler("due-notice").on(Loan.TYPE, 1, Loan.class).handle((event, tx) -> {
            try (Statement statement = tx.connection().createStatement()) {
                statement.execute("SELECT 1; COMMIT");
            }
        });
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            scene.publish("due-notice", 0, loans("ada", 1, 3));
            PosthasteConsumer consumer = scene.start(commits);

            soon().until(() -> !consumer.health().stopped().isEmpty());
            assertThat(consumer.health().stopped().get(0).summary())
                    .contains("ended the SDK's transaction by itself")
                    .contains("the last 3 messages");
        }
    }

    @Test
    void anErrorOfTheHandlersStopsThePartitionAndNotTheConsumer(Stack stack) throws Exception {
        Handler broken = handler("due-notice").on(Loan.TYPE, 1, Loan.class).handle((event, tx) -> {
            throw new NoClassDefFoundError("some/Library");
        });
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            scene.publish("due-notice", 0, loans("ada", 1, 1));
            PosthasteConsumer consumer = scene.start(broken);
            soon().until(() -> !consumer.health().stopped().isEmpty());
            assertThat(consumer.health().stopped().get(0).errorClass()).isEqualTo("java.lang.NoClassDefFoundError");
        }
    }

    @Test
    void anUnreadableRecordStopsItsPartitionAfterThoseBeforeIt(Stack stack) throws Exception {
        try (Scene scene = Scene.open(stack, 4, "due-notice")) {
            TestMessage good = TestMessage.of(new Loan("ada", 1));
            TestMessage wrongType = TestMessage.of(Loan.TYPE, 1, "k", "{\"member\":\"bob\",\"n\":\"secret-number\"}");
            TestMessage unknownVersion = TestMessage.of(Loan.TYPE, 9, "k", "{}");
            scene.publish("due-notice", 0, good, wrongType, TestMessage.of(new Loan("ada", 2)));
            scene.publish("due-notice", 1, unknownVersion);
            scene.publish("due-notice", 2, TestMessage.of(new Loan("bob", 3)).with(MessageHeaders.STAGED_AT, null));
            scene.publish("due-notice", 3, TestMessage.of(new Loan("bob", 4)).with(MessageHeaders.CE_ID, "no-uuid"));
            PosthasteConsumer consumer = scene.start(Scene.writing("due-notice"));

            soon().until(() -> consumer.health().stopped().size() == 4);
            assertThat(scene.effects("due-notice")).containsExactly("1");
            assertThat(consumer.health().stopped()).allMatch(stopped -> stopped.reason() == StopReason.UNREADABLE);
            assertThat(stopped(consumer, 0).messageId()).isEqualTo(wrongType.id());
            assertThat(stopped(consumer, 0).offset()).isEqualTo(1);
            assertThat(stopped(consumer, 0).summary())
                    .contains("InvalidFormatException")
                    .doesNotContain("secret-number");
            assertThat(stopped(consumer, 1).summary()).contains(Loan.TYPE + " v9", "[" + Loan.TYPE + " v1]");
            assertThat(stopped(consumer, 2).summary()).contains("posthaste_staged_at is missing");
            assertThat(stopped(consumer, 3).summary()).contains("ce_id is \"no-uuid\"");
            assertThat(stopped(consumer, 3).messageId()).isNull();
        }
    }

    @Test
    void whatTheInboxCannotStoreIsUnreadableAndNoOutage(Stack stack) throws Exception {
        try (Scene scene = Scene.open(stack, 2, "due-notice")) {
            TestMessage message = TestMessage.of(new Loan("ada", 1));
            scene.publish("due-notice", 0, message.with(MessageHeaders.TENANT, "no\0rth"));
            scene.publish("due-notice", 1, message.with(MessageHeaders.STAGED_AT, "+999999-01-01T00:00:00Z"));
            PosthasteConsumer consumer = scene.start(Scene.writing("due-notice"));

            soon().until(() -> consumer.health().stopped().size() == 2);
            assertThat(consumer.health().inboxAvailable()).isTrue();
        }
    }

    private static StoppedPartition stopped(PosthasteConsumer consumer, int partition) {
        return consumer.health().stopped().stream()
                .filter(stopped -> stopped.partition() == partition)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aDeadlockIsTriedAgainAndCostsNoAttempt(Stack stack) throws Exception {
        AtomicBoolean first = new AtomicBoolean(true);
        CountDownLatch handlerHasOne = new CountDownLatch(1);
        CountDownLatch otherHasTwo = new CountDownLatch(1);
        Handler locking = handler("due-notice").on(Loan.TYPE, 1, Loan.class).handle((event, tx) -> {
            Scene.write("due-notice", event, tx);
            lock(tx.connection(), 1);
            if (first.getAndSet(false)) {
                handlerHasOne.countDown();
                assertThat(otherHasTwo.await(30, TimeUnit.SECONDS)).isTrue();
            }
            lock(tx.connection(), 2);
        });
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            scene.execute("CREATE TABLE locked AS SELECT generate_series(1, 2) AS id");
            // The handler is the one to be chosen: the other waits longer before it looks for a deadlock.
            scene.execute("ALTER DATABASE " + scene.database + " SET deadlock_timeout = '200ms'");
            scene.publish("due-notice", 0, loans("ada", 1, 1));
            PosthasteConsumer consumer = scene.start(locking);
            try (Connection other = stack.postgres().connect(scene.database)) {
                other.setAutoCommit(false);
                try (Statement statement = other.createStatement()) {
                    statement.execute("SET LOCAL deadlock_timeout = '60s'");
                }
                assertThat(handlerHasOne.await(30, TimeUnit.SECONDS)).isTrue();
                lock(other, 2);
                otherHasTwo.countDown();
                lock(other, 1);
                other.commit();
            }
            soon().until(() -> scene.effects("due-notice").size() == 1);
            assertThat(scene.attempts("due-notice", "contended")).isPositive();
            assertThat(scene.attempts("due-notice", "failed")).isZero();
            assertThat(consumer.health().isReady()).isTrue();
        }
    }

    private static void lock(Connection connection, int id) throws SQLException {
        try (PreparedStatement lock = connection.prepareStatement("SELECT FROM locked WHERE id = ? FOR UPDATE")) {
            lock.setInt(1, id);
            lock.execute();
        }
    }

    @Test
    void contentionThatDoesNotPassStopsThePartitionAfterItsBound(Stack stack) throws Exception {
        Handler locking = handler("due-notice").on(Loan.TYPE, 1, Loan.class).handle((event, tx) -> {
            Scene.write("due-notice", event, tx);
            lock(tx.connection(), 1);
        });
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            scene.execute("CREATE TABLE locked AS SELECT 1 AS id");
            scene.publish("due-notice", 0, loans("ada", 1, 1));
            try (Connection other = stack.postgres().connect(scene.database)) {
                other.setAutoCommit(false);
                lock(other, 1);
                PosthasteConsumer consumer = scene.start(scene.builder(locking)
                        .settings(ConsumerSettings.defaults()
                                .withLockTimeout(Duration.ofMillis(20))
                                .withContentionRetriesMax(3)));
                soon().until(() -> !consumer.health().stopped().isEmpty());
                other.rollback();
            }
            assertThat(scene.attempts("due-notice", "contended")).isEqualTo(3);
            assertThat(scene.effects("due-notice")).isEmpty();
        }
    }

    /** What the SDK logs while it is open. */
    private static final class Log implements AutoCloseable {
        private final Logger logger = (Logger) LoggerFactory.getLogger("dev.posthaste.consumer");
        private final ListAppender<ILoggingEvent> events = new ListAppender<>();

        Log() {
            events.start();
            logger.addAppender(events);
        }

        List<String> at(Level level) {
            return List.copyOf(events.list).stream()
                    .filter(event -> event.getLevel() == level)
                    .map(ILoggingEvent::getFormattedMessage)
                    .toList();
        }

        @Override
        public void close() {
            logger.detachAppender(events);
        }
    }
}
