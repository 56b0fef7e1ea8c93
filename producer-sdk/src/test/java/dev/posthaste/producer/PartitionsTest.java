package dev.posthaste.producer;

import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.posthaste.testkit.PostgresServer;
import dev.posthaste.testkit.PosthasteStack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@PosthasteStack
class PartitionsTest {

    private static final String DAILY = """
            SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
            WHERE i.inhparent = 'outbox.message'::regclass AND c.relname ~ '^message_\\d{8}$' ORDER BY 1""";
    private static final String NEXT_WEEK = """
            SELECT 'message_' || to_char((now() AT TIME ZONE 'UTC')::date + day, 'YYYYMMDD')
            FROM generate_series(0, 7) day ORDER BY 1""";

    private OutboxDatabase database;

    @BeforeEach
    void migrate(PostgresServer server) {
        database = OutboxDatabase.create(server);
    }

    private String ensure(String arguments) throws SQLException {
        return database.query("SELECT outbox.ensure_partitions(" + arguments + ")")
                .get(0);
    }

    private void insertAt(String createdAt) throws SQLException {
        database.execute("INSERT INTO outbox.message (kind, type, schema_version, payload, created_at)"
                + " VALUES ('integration-event', 't', 1, ' {} ', " + createdAt + ")");
    }

    private List<String> whereRowsAre() throws SQLException {
        return database.query("SELECT tableoid::regclass FROM outbox.message ORDER BY created_at");
    }

    @Test
    void theMigrationMakesEightDays() throws SQLException {
        assertThat(database.query(DAILY)).isEqualTo(database.query(NEXT_WEEK)).hasSize(8);
    }

    @Test
    void aSecondCallMakesNothing() throws SQLException {
        assertThat(ensure("")).isEqualTo("0");
        assertThat(ensure("9")).isEqualTo("2");
        assertThat(database.query(DAILY)).hasSize(10);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "367", "NULL"})
    void badArgumentsAreRefused(String daysAhead) {
        assertThatThrownBy(() -> ensure(daysAhead))
                .hasMessageContaining("days_ahead is")
                .hasMessageContaining("must be from 0 to 366");
    }

    @Test
    void aRowOfTodayLandsInTodaysPartition() throws SQLException {
        database.stageCommitted();

        assertThat(whereRowsAre())
                .containsExactlyElementsOf(
                        database.query("SELECT 'outbox.message_' || to_char(now() AT TIME ZONE 'UTC', 'YYYYMMDD')"));
    }

    @Test
    void aRowThatFitsNoDayLandsInTheDefaultPartitionAndMovesWhenItsDayIsMade() throws SQLException {
        insertAt("now() + interval '8 days'");
        insertAt("now() + interval '30 days'");
        assertThat(whereRowsAre()).containsOnly("outbox.message_default").hasSize(2);
        List<String> before = database.query("SELECT m::text FROM outbox.message m ORDER BY created_at");

        assertThat(ensure("8")).isEqualTo("1");

        assertThat(whereRowsAre())
                .containsExactly(
                        database.query(
                                        "SELECT 'outbox.message_' || to_char((now() AT TIME ZONE 'UTC')::date + 8, 'YYYYMMDD')")
                                .get(0),
                        "outbox.message_default");
        assertThat(database.query("SELECT m::text FROM outbox.message m ORDER BY created_at"))
                .isEqualTo(before);
    }

    @Test
    void aPartitionMadeLaterHasTheSameRules() throws SQLException {
        ensure("8");
        String partition = database.query(DAILY).get(8);

        assertThat(database.query(
                        "SELECT count(*) FROM pg_constraint WHERE conrelid = ('outbox.' || ?)::regclass"
                                + " AND contype IN ('c', 'p')",
                        partition))
                .isEqualTo(
                        database.query(
                                "SELECT count(*) FROM pg_constraint WHERE conrelid = 'outbox.message'::regclass AND contype IN ('c', 'p')"));
        assertThatThrownBy(() -> {
                    insertAt("now() + interval '8 days'");
                    database.execute("UPDATE outbox." + partition + " SET type = 'x'");
                })
                .hasMessageContaining("insert-only");
    }

    @Test
    void callsAtTheSameTimeMakeEachDayOnceWhileRowsAreWritten() throws Exception {
        database.execute("DROP TABLE outbox." + database.query(DAILY).get(0));
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try {
            Callable<Integer> ensure = () -> Integer.parseInt(ensure("20"));
            Callable<Integer> stage = () -> {
                for (int i = 0; i < 20; i++) {
                    database.stageCommitted();
                }
                return 0;
            };
            List<Future<Integer>> calls = Stream.concat(
                            IntStream.range(0, 4).mapToObj(i -> threads.submit(ensure)),
                            IntStream.range(0, 4).mapToObj(i -> threads.submit(stage)))
                    .toList();
            int made = 0;
            for (Future<Integer> call : calls) {
                made += call.get();
            }
            assertThat(made).isEqualTo(14);
        } finally {
            threads.shutdownNow();
        }
        assertThat(database.messages()).isEqualTo(80);
        assertThat(database.query("SELECT count(*) FROM outbox.message_default"))
                .containsExactly("0");
    }
}
