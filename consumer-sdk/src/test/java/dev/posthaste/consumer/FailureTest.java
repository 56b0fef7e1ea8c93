package dev.posthaste.consumer;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLSyntaxErrorException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.jdbc.PgConnection;
import org.slf4j.LoggerFactory;

import dev.posthaste.schemas.MessageHeaders;
import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.ReportedCase;
import dev.posthaste.testkit.Stack;

import static dev.posthaste.consumer.Handler.handler;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
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
    void aHandlerThatThrowsHoldsUpNoOtherMessageAndItsMessageIsTriedToTheBound(Stack stack) throws Exception {
        try (Scene scene = Scene.open(stack, 2, "due-notice", "statistics");
                Log log = new Log()) {
            List<TestMessage> poisoned = loans("ada-lovelace", 1, 60);
            scene.publish("due-notice", 0, poisoned);
            scene.publish("statistics", 0, poisoned);
            PosthasteConsumer consumer =
                    scene.start(failingAt(55, "no notice for ada-lovelace, loan 55"), Scene.writing("statistics"));

            soon().until(() -> scene.deadLetters("due-notice").size() == 1);
            soon().until(() -> scene.effects("statistics").size() == 60);
            TestMessage poison = poisoned.get(54);
            assertThat(scene.effects("due-notice"))
                    .as("all but the failing one, in order, although they shared its chunk")
                    .isEqualTo(IntStream.rangeClosed(1, 60)
                            .filter(n -> n != 55)
                            .mapToObj(String::valueOf)
                            .toList());
            assertThat(scene.query("SELECT state || ' ' || attempt || ' ' || code FROM inbox.delivery"
                            + " WHERE handler = 'due-notice' AND state <> 'completed'"))
                    .containsExactly("dead-letter 3 IllegalStateException");
            assertThat(scene.query("SELECT last_error FROM inbox.delivery WHERE state = 'dead-letter'"))
                    .singleElement()
                    .asString()
                    .contains("the last of 3 attempts failed", "no notice for ***")
                    .doesNotContain("ada-lovelace");
            ConsumerRecord<byte[], byte[]> letter =
                    scene.deadLetters("due-notice").get(0);
            assertThat(letter.value()).isEqualTo(poison.value());
            assertThat(Scene.header(letter, MessageHeaders.CE_ID))
                    .isEqualTo(poison.id().toString());
            assertThat(Scene.header(letter, MessageHeaders.ATTEMPT)).isEqualTo("3");
            assertThat(Scene.header(letter, MessageHeaders.ERROR_CODE)).isEqualTo("IllegalStateException");
            assertThat(Scene.header(letter, MessageHeaders.ORIGIN)).startsWith(scene.topic("due-notice") + "-0@54");
            assertThat(scene.attempts("due-notice", "failed")).isEqualTo(3);
            assertThat(scene.attempts("due-notice", "dead-letter")).isEqualTo(1);
            assertThat(consumer.health().isReady()).isTrue();
            assertThat(log.at(Level.ERROR))
                    .singleElement()
                    .asString()
                    .contains("due-notice", poison.id().toString(), "IllegalStateException")
                    .doesNotContain("ada-lovelace");
            soon().until(() -> {
                Long committed = scene.committed("due-notice", 0);
                return committed != null && committed >= 60;
            });
        }
    }

    @Test
    void theJournalTellsEveryAttemptWithItsCauseAndHost(Stack stack) throws Exception {
        AtomicInteger calls = new AtomicInteger();
        Handler failsTwice = handler("due-notice").on(Loan.TYPE, 1, Loan.class).handle((event, tx) -> {
            assertThat(tx.delivery().attempt()).isEqualTo(calls.incrementAndGet());
            if (calls.get() <= 2) {
                throw new IllegalStateException("not yet");
            }
            Scene.write("due-notice", event, tx);
        });
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            scene.publish("due-notice", 0, loans("ada", 1, 1));
            scene.start(failsTwice);

            soon().until(() -> scene.effects("due-notice").size() == 1);
            assertThat(scene.query("SELECT attempt || ' ' || outcome || ' ' || coalesce(code, '-') FROM inbox.journal"
                            + " WHERE host <> '' ORDER BY entry"))
                    .containsExactly(
                            "1 failed IllegalStateException", "2 failed IllegalStateException", "3 completed -");
            assertThat(scene.query("SELECT state || attempt FROM inbox.delivery"))
                    .containsExactly("completed3");
            assertThat(scene.query("SELECT message_id FROM inbox.outgoing")).isEmpty();
        }
    }

    @Test
    void aMessageThatWaitsForItsRetryIsRunByTheNextProcess(Stack stack) throws Exception {
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            scene.publish("due-notice", 0, loans("ada", 1, 3));
            PosthasteConsumer first = scene.start(failingAt(2, "not today"));
            soon().until(() -> scene.effects("due-notice").size() == 2 && scene.attempts("due-notice", "failed") == 1);
            first.close();

            scene.start(Scene.writing("due-notice"));
            soon().until(() -> scene.effects("due-notice").size() == 3);
            assertThat(scene.effects("due-notice")).containsExactly("1", "3", "2");
        }
    }

    @ReportedCase(22)
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
            scene.start(throwsOften);
            soon().until(() -> {
                assertThat(scene.query(
                                "SELECT message_id FROM inbox.delivery d WHERE state = 'completed' AND NOT EXISTS"
                                        + " (SELECT FROM effect e WHERE e.message_id = d.message_id) UNION ALL"
                                        + " SELECT message_id FROM effect e WHERE NOT EXISTS (SELECT FROM inbox.delivery d"
                                        + " WHERE d.message_id = e.message_id AND state = 'completed')"))
                        .isEmpty();
                return scene.completed("due-notice").size() == 40;
            });
            assertThat(scene.attempts("due-notice", "failed"))
                    .as("it did fail now and then")
                    .isGreaterThan(1);
            assertThat(scene.query("SELECT DISTINCT n FROM effect")).hasSize(40);
            assertThat(scene.effects("due-notice")).hasSize(40);
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
            scene.start(swallows);

            soon().until(() -> scene.inState("due-notice", "dead-letter") == 2);
            assertThat(scene.query("SELECT last_error FROM inbox.delivery"))
                    .allSatisfy(error -> assertThat(error).contains("current transaction is aborted"));
            assertThat(scene.effects("due-notice")).isEmpty();
        }
    }

    @Test
    void aStatementThatEndsTheTransactionIsAFailedAttemptWithoutEffect(Stack stack) throws Exception {
        List<String> statements = List.of(
                "/* x */ COMMIT",
                "-- c\nCOMMIT",
                "SELECT 1; COMMIT",
                "SELECT 1; COMMIT; BEGIN",
                "SELECT ';'; /* /* */ */ ROLLBACK");
        Handler commits = handler("due-notice").on(Loan.TYPE, 1, Loan.class).handle((event, tx) -> {
            Scene.write("due-notice", event, tx);
            try (Statement statement = tx.connection().createStatement()) {
                statement.execute(statements.get(event.payload().n()));
            }
        });
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            scene.publish("due-notice", 0, loans("ada", 0, statements.size() - 1));
            scene.start(commits);

            soon().until(() -> scene.inState("due-notice", "dead-letter") == statements.size());
            assertThat(scene.query("SELECT last_error FROM inbox.delivery"))
                    .allSatisfy(error -> assertThat(error).contains("A statement that ends the transaction"));
            assertThat(scene.effects("due-notice")).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aHandlerThatCommitsBehindTheGuardStopsItsPartitionThoughItThrows(boolean throwing, Stack stack)
            throws Exception {
        Handler commits = handler("due-notice").on(Loan.TYPE, 1, Loan.class).handle((event, tx) -> {
            Scene.write("due-notice", event, tx);
            tx.connection().unwrap(PgConnection.class).commit();
            if (throwing) {
                throw new IllegalStateException("after the commit");
            }
        });
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            scene.publish("due-notice", 0, loans("ada", 1, 3));
            PosthasteConsumer consumer = scene.start(commits);

            soon().until(() -> !consumer.health().stopped().isEmpty());
            assertThat(consumer.health().stopped()).singleElement().satisfies(stopped -> {
                assertThat(stopped.reason()).isEqualTo(StopReason.HANDLER_FAILED);
                assertThat(stopped.summary()).contains("ended the SDK's transaction by itself");
                assertThat(stopped.offset()).isZero();
            });
            assertThat(scene.effects("due-notice")).containsExactly("1");
        }
    }

    @Test
    void aHandlerThatCommitsBehindTheGuardStopsItsPartition(Stack stack) throws Exception {
        Handler commits = handler("due-notice").on(Loan.TYPE, 1, Loan.class).handle((event, tx) -> {
            try (Statement statement =
                    tx.connection().unwrap(PgConnection.class).createStatement()) {
                statement.execute("SELECT 1; COMMIT");
            }
        });
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            scene.publish("due-notice", 0, loans("ada", 1, 3));
            PosthasteConsumer consumer = scene.start(commits);

            soon().until(() -> !consumer.health().stopped().isEmpty());
            assertThat(consumer.health().stopped().get(0).summary())
                    .contains("ended the SDK's transaction by itself")
                    .contains("the last 1 messages");
        }
    }

    @Test
    void anErrorOfTheHandlersIsAFailedAttemptLikeAnyOther(Stack stack) throws Exception {
        Handler broken = handler("due-notice").on(Loan.TYPE, 1, Loan.class).handle((event, tx) -> {
            throw new NoClassDefFoundError("some/Library");
        });
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            scene.publish("due-notice", 0, loans("ada", 1, 1));
            scene.start(broken);
            soon().until(() -> scene.inState("due-notice", "dead-letter") == 1);
            assertThat(scene.query("SELECT code FROM inbox.delivery")).containsExactly("NoClassDefFoundError");
        }
    }

    @Test
    void aFailureNamedPermanentIsADeadLetterAtOnceAsIsTheHandlersOwnWord(Stack stack) throws Exception {
        Handler picky = handler("due-notice")
                .permanent(SQLSyntaxErrorException.class, IllegalArgumentException.class)
                .on(Loan.TYPE, 1, Loan.class)
                .decide((event, tx) -> {
                    if (event.payload().n() == 1) {
                        throw new IllegalStateException(new IllegalArgumentException("no such copy"));
                    }
                    return event.payload().n() == 2
                            ? Outcome.dead("no-such-member", "the member left")
                            : Outcome.done();
                });
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            scene.publish("due-notice", 0, loans("ada", 1, 3));
            scene.start(picky);
            soon().until(() ->
                    scene.inState("due-notice", "dead-letter") == 2 && scene.inState("due-notice", "completed") == 1);
            assertThat(scene.query(
                            "SELECT code || ' ' || attempt FROM inbox.delivery WHERE state = 'dead-letter' ORDER BY 1"))
                    .containsExactly("IllegalArgumentException 1", "no-such-member 1");
        }
    }

    @SuppressWarnings("NullAway") // what Java lets a user write
    @Test
    void aHandlerThatReturnsNullIsToldWhatToReturn(Stack stack) throws Exception {
        Handler decides = handler("due-notice").on(Loan.TYPE, 1, Loan.class).decide((event, tx) -> {
            Scene.write("due-notice", event, tx);
            return null;
        });
        Handler calls = handler("charge").on(Loan.TYPE, 1, Loan.class).call((event, call) -> null);
        try (Scene scene = Scene.open(stack, 1, "due-notice", "charge")) {
            scene.publish("due-notice", 0, loans("ada", 1, 1));
            scene.publish("charge", 0, loans("ada", 1, 1));
            scene.start(decides);
            scene.start(scene.builder(Catalogs.leased("charge"), calls).meters(new SimpleMeterRegistry()));

            soon().until(() ->
                    scene.inState("due-notice", "dead-letter") == 1 && scene.inState("charge", "dead-letter") == 1);
            assertThat(scene.query("SELECT code || ': ' || last_error FROM inbox.delivery"))
                    .hasSize(2)
                    .allSatisfy(error -> assertThat(error)
                            .startsWith("NoOutcomeException: ")
                            .contains("the handler returned null; return Outcome.done()"));
            assertThat(scene.effects("due-notice")).isEmpty();
        }
        assertThatThrownBy(() -> Outcome.dead("no-such-member", null))
                .as("in the handler, as a failure of its own")
                .hasMessage("dead(\"no-such-member\", null): say why, or \"\"");
    }

    @Test
    void aHandlerThatAsksForADelayGetsIt(Stack stack) throws Exception {
        List<Instant> calls = new CopyOnWriteArrayList<>();
        Handler later = handler("due-notice").on(Loan.TYPE, 1, Loan.class).decide((event, tx) -> {
            calls.add(Instant.now());
            return calls.size() == 1 ? Outcome.retryAfter(Duration.ofSeconds(2)) : Outcome.done();
        });
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            scene.publish("due-notice", 0, loans("ada", 1, 1));
            scene.start(later);
            soon().until(() -> scene.completed("due-notice").size() == 1);
            assertThat(Duration.between(calls.get(0), calls.get(1)))
                    .as("never early")
                    .isGreaterThanOrEqualTo(Duration.ofSeconds(2));
        }
    }

    @Test
    void aRecordThatIsNoMessageIsADeadLetterByteForByteAndHoldsUpNobody(Stack stack) throws Exception {
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            TestMessage wrongType = TestMessage.of(Loan.TYPE, 1, "k", "{\"member\":\"bob\",\"n\":\"secret-number\"}");
            TestMessage noJson = TestMessage.of(new Loan("bob", 2)).withValue(new byte[] {0, -1, 7});
            TestMessage unknownVersion = TestMessage.of(Loan.TYPE, 9, "k", "{}");
            TestMessage noTime = TestMessage.of(new Loan("bob", 3)).with(MessageHeaders.STAGED_AT, null);
            TestMessage noId = TestMessage.of(new Loan("bob", 4)).with(MessageHeaders.CE_ID, "no-uuid");
            TestMessage noText = TestMessage.of(new Loan("bob", 5)).with(MessageHeaders.TENANT, "no\0rth");
            TestMessage noYear =
                    TestMessage.of(new Loan("bob", 6)).with(MessageHeaders.STAGED_AT, "+999999-01-01T00:00:00Z");
            List<TestMessage> garbage = List.of(wrongType, noJson, unknownVersion, noTime, noId, noText, noYear);
            scene.publish("due-notice", 0, garbage);
            scene.publish("due-notice", 0, TestMessage.of(new Loan("ada", 1)));
            PosthasteConsumer consumer = scene.start(Scene.writing("due-notice"));

            soon().until(() -> scene.effects("due-notice").equals(List.of("1")));
            soon().until(() -> scene.deadLetters("due-notice").size() == garbage.size());
            assertThat(scene.deadLetters("due-notice").stream()
                            .map(letter -> List.of(
                                    new String(letter.value(), StandardCharsets.ISO_8859_1),
                                    Scene.header(letter, MessageHeaders.CE_ID))))
                    .containsExactlyInAnyOrderElementsOf(garbage.stream()
                            .map(message -> List.of(
                                    new String(Objects.requireNonNull(message.value()), StandardCharsets.ISO_8859_1),
                                    Objects.requireNonNull(message.headers().get(MessageHeaders.CE_ID))))
                            .toList());
            assertThat(scene.query("SELECT code FROM inbox.delivery WHERE state = 'dead-letter' ORDER BY 1"))
                    .containsOnlyOnce("no-reader")
                    .containsOnly("no-reader", "unreadable");
            String errors =
                    String.join("\n", scene.query("SELECT last_error FROM inbox.delivery WHERE state = 'dead-letter'"));
            assertThat(errors)
                    .contains(
                            "InvalidFormatException",
                            Loan.TYPE + " v9",
                            "posthaste_staged_at is missing",
                            "ce_id is \"no-uuid\"")
                    .doesNotContain("secret-number");
            assertThat(consumer.health().isReady()).isTrue();
        }
    }

    @Test
    void headersBeyondWhatTheOutboxAllowsAreDeadLettersByteForByteAndHoldUpNobody(Stack stack) throws Exception {
        String random = new Random(7)
                .ints(3_000, 0x4E00, 0x9FA5) // nothing compresses it to fit an index
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            List<TestMessage> beyond = List.of(
                    TestMessage.of(new Loan("bob", 2)).with(MessageHeaders.TENANT, random),
                    TestMessage.of(new Loan("bob", 3)).with(MessageHeaders.TENANT, "a".repeat(201)),
                    TestMessage.of(new Loan("bob", 4)).with(MessageHeaders.CE_TYPE, random),
                    TestMessage.of(new Loan("bob", 5)).with(MessageHeaders.CE_SUBJECT, random),
                    TestMessage.of(new Loan("bob", 6)).with(MessageHeaders.CONTENT_TYPE, random),
                    TestMessage.of(new Loan("bob", 7)).with(MessageHeaders.CONTENT_TYPE, ""),
                    TestMessage.of(new Loan("bob", 8)).with(MessageHeaders.TENANT, "no\nrth"));
            scene.publish("due-notice", 0, beyond);
            scene.publish(
                    "due-notice", 0, TestMessage.of(new Loan("ada", 1)).with(MessageHeaders.TENANT, "😀".repeat(200)));
            PosthasteConsumer consumer = scene.start(Scene.writing("due-notice"));

            soon().until(() -> scene.effects("due-notice").equals(List.of("1")));
            soon().until(() -> scene.deadLetters("due-notice").size() == beyond.size());
            List<ConsumerRecord<byte[], byte[]>> letters = scene.deadLetters("due-notice");
            assertThat(beyond).allSatisfy(message -> assertThat(letters).anySatisfy(letter -> {
                assertThat(letter.value()).isEqualTo(message.value());
                message.headers().forEach((name, text) -> assertThat(Scene.header(letter, name))
                        .isEqualTo(text));
            }));
            assertThat(scene.query("SELECT last_error FROM inbox.delivery WHERE code = 'unreadable'"))
                    .hasSize(beyond.size())
                    .anySatisfy(error -> assertThat(error)
                            .contains("posthaste_tenant is")
                            .contains("which has 3000 characters, but at most 200 are allowed"))
                    .anySatisfy(error -> assertThat(error).contains("9000 bytes, but at most 1024 are allowed"));
            assertThat(consumer.health().isReady()).isTrue();
        }
    }

    @Test
    void whatARecordOrAnExceptionSaysForgesNoLineOfTheLog(Stack stack) throws Exception {
        String forged = "evil\n21:00:00.000 ERROR forged\r\0\u001b[2J";
        Handler tells = handler("due-notice")
                .permanent(IllegalStateException.class)
                .on(Loan.TYPE, 1, Loan.class)
                .decide((event, tx) -> {
                    if (event.payload().n() == 1) {
                        throw new IllegalStateException(forged);
                    }
                    return Outcome.dead("no-such-member", forged);
                });
        try (Scene scene = Scene.open(stack, 1, "due-notice");
                Log log = new Log()) {
            scene.publish("due-notice", 0, loans("ada", 1, 2));
            scene.publish(
                    "due-notice",
                    0,
                    TestMessage.of(new Loan("ada", 3)).with(MessageHeaders.CE_TYPE, forged),
                    TestMessage.of(new Loan("ada", 4)).with(MessageHeaders.CE_ID, forged),
                    TestMessage.of(new Loan("ada", 5)).with(MessageHeaders.CE_TYPE, "a\u2028b\u0085c"));
            scene.start(tells);

            soon().until(() -> scene.inState("due-notice", "dead-letter") == 5);
            assertThat(scene.query("SELECT last_error FROM inbox.delivery UNION ALL SELECT summary FROM inbox.journal"))
                    .allSatisfy(error -> assertThat(error).doesNotContainPattern("[\\p{Cc}\\u2028]"))
                    .anySatisfy(error -> assertThat(error).contains("evil\\n21:00:00.000 ERROR forged"));
            assertThat(log.at(Level.ERROR)).hasSize(5).allSatisfy(line -> assertThat(line)
                    .doesNotContainPattern("[\\p{Cc}\\u2028]"));
        }
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
    void contentionThatDoesNotPassSpendsNoAttemptAndHoldsUpNobody(Stack stack) throws Exception {
        Handler locking = handler("due-notice").on(Loan.TYPE, 1, Loan.class).handle((event, tx) -> {
            Scene.write("due-notice", event, tx);
            if (event.payload().n() == 1) {
                lock(tx.connection(), 1);
            }
        });
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            scene.execute("CREATE TABLE locked AS SELECT 1 AS id");
            scene.publish("due-notice", 0, loans("ada", 1, 2));
            try (Connection other = stack.postgres().connect(scene.database)) {
                other.setAutoCommit(false);
                lock(other, 1);
                scene.start(scene.builder(locking)
                        .settings(ConsumerSettings.defaults()
                                .withLockTimeout(Duration.ofMillis(20))
                                .withContentionRetriesMax(2)));
                soon().until(() -> scene.effects("due-notice").equals(List.of("2")));
                soon().until(() -> !scene.query(
                                "SELECT forgiven FROM inbox.delivery WHERE forgiven >= 2 AND attempt >= 2")
                        .isEmpty());
                other.rollback();
            }
            soon().until(() -> scene.effects("due-notice").equals(List.of("2", "1")));
            assertThat(scene.attempts("due-notice", "contended")).isGreaterThan(3);
            assertThat(scene.attempts("due-notice", "failed")).isZero();
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
