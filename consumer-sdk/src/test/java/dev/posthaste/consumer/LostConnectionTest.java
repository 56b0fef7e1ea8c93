package dev.posthaste.consumer;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import javax.sql.DataSource;

import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.postgresql.PGConnection;

import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.Stack;

import static dev.posthaste.consumer.Handler.handler;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** A message that costs its transaction the connection, while the database is there. */
@PosthasteStack
class LostConnectionTest {

    private static final int POISON = 3;

    private static ConditionFactory soon() {
        return await().atMost(Duration.ofSeconds(40));
    }

    private static List<TestMessage> loans(int to) {
        return IntStream.rangeClosed(1, to)
                .mapToObj(n -> TestMessage.of(new Loan("ada", n)))
                .toList();
    }

    /** What a handler does to lose it. */
    private enum Loss {
        IDLE_FOR_TOO_LONG {
            @Override
            void lose(Scene scene, Connection connection) throws SQLException {
                String session = first(connection, "SELECT pg_backend_pid()");
                await().until(() -> scene.query("SELECT pid FROM pg_stat_activity WHERE pid = " + session)
                        .isEmpty());
            }
        },
        ENDS_ITS_SESSION {
            @Override
            void lose(Scene scene, Connection connection) throws SQLException {
                first(connection, "SELECT pg_terminate_backend(pg_backend_pid())");
            }
        },
        CLOSES_WHAT_IS_BENEATH {
            @Override
            void lose(Scene scene, Connection connection) throws SQLException {
                ((Connection) connection.unwrap(PGConnection.class)).close();
            }
        },
        RAISES_WHAT_A_POOL_TAKES_FOR_A_LOST_CONNECTION {
            @Override
            void lose(Scene scene, Connection connection) throws SQLException {
                first(connection, "SELECT raise_08001()");
            }
        },
        RAISES_IT_AT_THE_COMMIT {
            @Override
            void lose(Scene scene, Connection connection) throws SQLException {
                try (Statement insert = connection.createStatement()) {
                    insert.executeUpdate("INSERT INTO refused_at_commit VALUES (1)");
                }
            }
        };

        abstract void lose(Scene scene, Connection connection) throws SQLException;

        static String first(Connection connection, String sql) throws SQLException {
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(sql)) {
                row.next();
                return row.getString(1);
            }
        }

        static void prepare(Scene scene) throws SQLException {
            scene.execute("ALTER DATABASE " + scene.database + " SET idle_in_transaction_session_timeout = '500ms'");
            scene.execute("CREATE FUNCTION raise_08001() RETURNS int LANGUAGE plpgsql AS"
                    + " $$ BEGIN RAISE EXCEPTION 'the other server is away' USING ERRCODE = '08001'; END $$");
            scene.execute("CREATE TABLE refused_at_commit (n int)");
            scene.execute("CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS"
                    + " $$ BEGIN PERFORM raise_08001(); RETURN NULL; END $$");
            scene.execute("CREATE CONSTRAINT TRIGGER refused AFTER INSERT ON refused_at_commit"
                    + " DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse()");
        }
    }

    @ParameterizedTest
    @EnumSource
    void aMessageThatCostsItsConnectionFailsAndNobodyWaitsForIt(Loss loss, Stack stack) throws Exception {
        try (Scene scene = Scene.open(stack, 1, "due-notice", "statistics");
                WarningLog log = new WarningLog()) {
            Loss.prepare(scene);
            AtomicInteger calls = new AtomicInteger();
            Handler losing = handler("due-notice").on(Loan.TYPE, 1, Loan.class).handle((event, tx) -> {
                Scene.write("due-notice", event, tx);
                if (event.payload().n() == POISON) {
                    calls.incrementAndGet();
                    loss.lose(scene, tx.connection());
                }
            });
            scene.publish("due-notice", 0, loans(5));
            PosthasteConsumer consumer = scene.start(losing, Scene.writing("statistics"));

            soon().until(() -> scene.completed("due-notice").size() == 4);
            scene.publish("statistics", 0, loans(5));
            soon().until(() -> scene.completed("statistics").size() == 5);
            soon().until(() -> scene.inState("due-notice", "dead-letter") == 1);
            assertThat(scene.effects("due-notice")).containsExactly("1", "2", "4", "5");
            assertThat(scene.query("SELECT DISTINCT attempt - forgiven || ' ' || code FROM inbox.delivery"
                            + " WHERE state = 'dead-letter'"))
                    .singleElement()
                    .asString()
                    .startsWith("3 ")
                    .endsWith("Exception");
            assertThat(calls).as("a bound of tries for each attempt").hasValueLessThanOrEqualTo(3 * 6);
            assertThat(consumer.health().inboxAvailable()).isTrue();
            assertThat(log.lines()).noneMatch(line -> line.contains("not available"));
        }
    }

    /** The database has it, and the consumer is told that the connection is gone. */
    @Test
    void aCommitWhoseAnswerIsLostHasItsEffectOnceAndCostsNoAttempt(Stack stack) throws Exception {
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            AtomicBoolean handled = new AtomicBoolean();
            AtomicInteger lost = new AtomicInteger();
            DataSource deaf = losingAnswers(scene.dataSource, () -> {
                boolean loses = handled.getAndSet(false);
                lost.addAndGet(loses ? 1 : 0);
                return loses;
            });
            Handler writes = handler("due-notice").on(Loan.TYPE, 1, Loan.class).handle((event, tx) -> {
                Scene.write("due-notice", event, tx);
                handled.set(true);
            });
            scene.publish("due-notice", 0, loans(20));
            scene.start(scene.builder(writes).dataSource(deaf));
            soon().until(() -> Long.valueOf(20).compareTo(committedOr0(scene)) <= 0);
            assertThat(lost).as("answers lost").hasPositiveValue();
            assertThat(scene.effects("due-notice")).hasSize(20);
            assertThat(scene.query("SELECT count(*) FROM inbox.journal")).containsExactly("0");
        }
    }

    private static long committedOr0(Scene scene) {
        Long offset = scene.committed("due-notice", 0);
        return offset == null ? 0 : offset;
    }

    /** Whether the answer of the commit at hand is lost. */
    private interface Loses {
        boolean now();
    }

    private static DataSource losingAnswers(DataSource source, Loses loses) {
        return proxy(
                DataSource.class,
                source,
                (name, result) -> result instanceof Connection connection
                        ? proxy(Connection.class, connection, (called, value) -> {
                            if (called.equals("commit") && loses.now()) {
                                connection.close();
                                throw new SQLNonTransientConnectionException("the answer was lost", "08006");
                            }
                            return value;
                        })
                        : result);
    }

    private interface After {
        Object call(String name, Object result) throws SQLException;
    }

    private static <T> T proxy(Class<T> type, T target, After after) {
        return type.cast(Proxy.newProxyInstance(
                LostConnectionTest.class.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                    try {
                        return after.call(method.getName(), method.invoke(target, arguments));
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }
}
