package dev.posthaste.consumer;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;

import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.posthaste.schemas.Migrations;
import dev.posthaste.testkit.PostgresServer;
import dev.posthaste.testkit.PosthasteStack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@PosthasteStack
class InboxTablesTest {

    private static final String DAILY = """
            SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
            WHERE i.inhparent = 'inbox.delivery'::regclass AND c.relname ~ '^delivery_\\d{8}$' ORDER BY 1""";

    private PostgresServer server;
    private String database;

    @BeforeEach
    void migrate(PostgresServer server) {
        this.server = server;
        this.database = server.createDatabase("inbox");
        Flyway.configure()
                .dataSource(server.dataSource(database))
                .locations("classpath:" + Migrations.INBOX)
                .load()
                .migrate();
    }

    private List<String> query(String sql) throws SQLException {
        try (Connection connection = server.connect(database);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<String> column = new ArrayList<>();
            while (rows.next()) {
                column.add(String.valueOf(rows.getString(1)));
            }
            return column;
        }
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = server.connect(database);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** A good row with one column, given as SQL, in place of its own. */
    private static String insert(String column, String value) {
        return insert(Map.of(column, value));
    }

    private static String insert(Map<String, String> columns) {
        Map<String, String> row = new TreeMap<>(Map.of(
                "handler", "'due-notice'",
                "message_id", "uuidv7()",
                "staged_at", "now()",
                "state", "'completed'",
                "completed_at", "now()",
                "record_topic", "'library.due-notice'",
                "record_partition", "0",
                "record_offset", "0"));
        row.putAll(columns);
        return "INSERT INTO inbox.delivery (" + String.join(", ", row.keySet()) + ") VALUES ("
                + String.join(", ", row.values()) + ")";
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '"',
            value = {
                "completed_at, NULL, completed_at_is_set_exactly_when_completed",
                "state, 'failed', completed_at_is_set_exactly_when_completed",
                "attempt, -1, attempt_is_not_negative"
            })
    void aBadRowFailsUnderTheNameOfItsRule(String column, String value, String constraint) {
        assertThatThrownBy(() -> execute(insert(column, value)))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("\"" + constraint + "\"");
    }

    @Test
    void anUnknownStateFailsUnderTheNameOfItsRule() {
        assertThatThrownBy(() -> execute(insert(Map.of("state", "'done'", "completed_at", "NULL"))))
                .hasMessageContaining("\"state_is_known\"");
    }

    @Test
    void aDeliveryIsThereOncePerHandlerTenantAndMessage() throws SQLException {
        String id = "'" + UUID.randomUUID() + "'";
        String row = insert("message_id", id).replace("now()", "'2026-01-01T00:00:00Z'");
        execute(row);
        assertThatThrownBy(() -> execute(row)).hasMessageContaining("duplicate key");
        assertThatCode(() -> execute(row.replace("due-notice'", "statistics'"))).doesNotThrowAnyException();
    }

    @Test
    void partitionsAreMadeForEightDaysAndRowsMoveIntoThem() throws SQLException {
        assertThat(query(DAILY)).hasSize(8);
        execute(insert("staged_at", "now() + interval '8 days'"));
        execute(insert("staged_at", "now() - interval '1 day'"));
        assertThat(query("SELECT count(*) FROM inbox.delivery_default")).containsExactly("2");

        assertThat(query("SELECT inbox.ensure_partitions(8)")).containsExactly("1");
        assertThat(query("SELECT inbox.ensure_partitions(8)")).containsExactly("0");
        assertThat(query("SELECT count(*) FROM inbox.delivery_default")).containsExactly("1");
        assertThat(query("SELECT count(*) FROM inbox.delivery")).containsExactly("2");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "367", "NULL"})
    void badArgumentsAreRefused(String daysAhead) {
        assertThatThrownBy(() -> query("SELECT inbox.ensure_partitions(" + daysAhead + ")"))
                .hasMessageContaining("must be from 0 to 366");
    }

    @Test
    void callsAtTheSameTimeMakeEachDayOnce() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            Callable<Integer> ensure = () ->
                    Integer.parseInt(query("SELECT inbox.ensure_partitions(20)").get(0));
            int made = 0;
            for (var call : threads.invokeAll(
                    IntStream.range(0, 4).mapToObj(i -> ensure).toList())) {
                made += call.get();
            }
            assertThat(made).isEqualTo(13);
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void aConsumersRoleDoesAllTheSdkDoes() throws SQLException {
        String role = "consumer_" + UUID.randomUUID().toString().replace("-", "");
        execute("CREATE ROLE " + role + " LOGIN PASSWORD 'secret' IN ROLE posthaste_consumer");
        try (Connection connection = DriverManager.getConnection(server.jdbcUrl(database), role, "secret");
                Statement statement = connection.createStatement()) {
            statement.execute(insert("attempt", "1"));
            statement.execute("SELECT inbox.ensure_partitions()");
            statement.execute("INSERT INTO inbox.started_partition (handler, record_topic, record_partition)"
                    + " VALUES ('due-notice', 't', 0)");
            statement.execute("INSERT INTO inbox.retention (handler, kept) VALUES ('due-notice', '30 days')");
            statement.execute("SELECT inbox.drop_expired_partition(), (SELECT max(before) FROM inbox.cutoff)");
            for (String table : List.of(
                    "delivery_default", "outgoing", "journal", "business_key", "replay_item", "replay", "retention")) {
                statement.execute("DELETE FROM inbox." + table);
            }
            assertThatThrownBy(() -> statement.execute("CREATE TABLE inbox.mine (i int)"))
                    .hasMessageContaining("permission denied");
        }
    }
}
