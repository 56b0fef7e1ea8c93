package dev.posthaste.producer;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.stream.IntStream;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.posthaste.schemas.OutboxMessage;
import dev.posthaste.testkit.PostgresServer;
import dev.posthaste.testkit.PosthasteStack;

import static dev.posthaste.producer.OutboxDatabase.loan;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@PosthasteStack
class OutboxTest {

    private static OutboxDatabase database;

    private final Outbox outbox = Outbox.create();

    @BeforeAll
    static void migrate(PostgresServer server) {
        database = OutboxDatabase.create(server);
    }

    private static List<String> column(UUID id, String column) throws SQLException {
        return database.query("SELECT " + column + " FROM outbox.message WHERE id = ?", id);
    }

    @Test
    void aCommitLeavesTheMessageAndItsId() throws SQLException {
        try (Connection connection = database.begin()) {
            UUID id = outbox.stage(connection, loan("{\"copy\":7}"));

            assertThat(column(id, "payload")).as("before the commit").isEmpty();
            connection.commit();
            assertThat(column(id, "payload")).containsExactly("{\"copy\":7}");
            assertThat(column(id, "kind || ' ' || type || ' ' || schema_version || ' ' || content_type"))
                    .containsExactly("integration-event library.loan-borrowed 1 application/json");
        }
    }

    @Test
    void aRollbackLeavesNothing() throws SQLException {
        long before = database.messages();
        try (Connection connection = database.begin()) {
            outbox.stageAll(connection, List.of(loan("{}"), loan("{}")));
            connection.rollback();
        }
        assertThat(database.messages()).isEqualTo(before);
    }

    @Test
    void aRollbackToASavepointLeavesOnlyWhatCameBeforeIt() throws SQLException {
        try (Connection connection = database.begin()) {
            UUID kept = outbox.stage(connection, loan("{}"));
            Savepoint savepoint = connection.setSavepoint();
            UUID undone = outbox.stage(connection, loan("{}"));
            connection.rollback(savepoint);
            connection.commit();

            assertThat(column(kept, "id")).hasSize(1);
            assertThat(column(undone, "id")).isEmpty();
        }
    }

    @Test
    void autoCommitIsRefusedWithTheReasonAndTheWayOut() throws SQLException {
        long before = database.messages();
        try (Connection connection = database.connect()) {
            assertThatThrownBy(() -> outbox.stage(connection, loan("{}")))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("auto-commit")
                    .hasMessageContaining("committed by itself")
                    .hasMessageContaining("setAutoCommit(false)");
        }
        assertThat(database.messages()).isEqualTo(before);
    }

    @Test
    void aReadOnlyConnectionIsRefused() throws SQLException {
        try (Connection connection = database.connect()) {
            connection.setReadOnly(true);
            connection.setAutoCommit(false);
            assertThatThrownBy(() -> outbox.stage(connection, loan("{}")))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("read-only");
        }
    }

    @Test
    void theConnectionIsLeftAsItWas() throws SQLException {
        try (Connection connection = database.begin()) {
            String transaction = OutboxDatabase.query(connection, "SELECT pg_current_xact_id()::text")
                    .get(0);
            outbox.stage(connection, loan("{}"));

            assertThat(connection.isClosed()).isFalse();
            assertThat(connection.getAutoCommit()).isFalse();
            assertThat(OutboxDatabase.query(connection, "SELECT pg_current_xact_id()::text"))
                    .containsExactly(transaction);
        }
    }

    @Test
    void idsOfABatchComeInItsOrderAndGrow() throws SQLException {
        List<OutboxMessage> messages = IntStream.range(0, 1_234)
                .mapToObj(i -> loan("{\"i\":" + i + "}"))
                .toList();
        try (Connection connection = database.begin()) {
            List<UUID> ids = outbox.stageAll(connection, messages);
            connection.commit();

            assertThat(ids).hasSize(1_234).doesNotHaveDuplicates().isSorted();
            assertThat(column(ids.get(1_233), "payload")).containsExactly("{\"i\":1233}");
            assertThat(database.query(
                            "SELECT payload ->> 'i' FROM outbox.message WHERE id = ANY (?) ORDER BY id",
                            connection.createArrayOf("uuid", ids.toArray())))
                    .containsExactlyElementsOf(
                            IntStream.range(0, 1_234).mapToObj(String::valueOf).toList());
        }
    }

    @Test
    void noMessagesAreNoWork() throws SQLException {
        try (Connection connection = database.begin()) {
            assertThat(outbox.stageAll(connection, List.of())).isEmpty();
        }
    }

    @Test
    void allAreCheckedBeforeTheFirstIsWritten() throws SQLException {
        OutboxMessage tooLarge = OutboxMessage.event("library.loan-borrowed", 1)
                .header("note", "x".repeat(17_000))
                .json("{}");
        try (Connection connection = database.begin()) {
            assertThatThrownBy(() -> outbox.stageAll(connection, List.of(loan("{}"), tooLarge)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("headers")
                    .hasMessageContaining("16384");
            assertThat(OutboxDatabase.query(connection, "SELECT pg_current_xact_id_if_assigned()::text"))
                    .as("nothing was written")
                    .containsExactly("null");
        }
    }

    @Test
    void whatIsGivenIsKept() throws SQLException {
        UUID id = UUID.fromString("11111111-2222-4333-8444-555555555555");
        OutboxMessage message = OutboxMessage.command("library.remind", 3)
                .id(id)
                .key("member-1")
                .tenant("north")
                .occurredAt(Instant.parse("2026-01-02T03:04:05.123456789Z"))
                .contentType("application/x-loan+json")
                .header("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00")
                .header("tracestate", "vendor=1")
                .json("[]");
        try (Connection connection = database.begin()) {
            assertThat(outbox.stage(connection, message)).isEqualTo(id);
            connection.commit();
        }
        assertThat(column(id, "kind || ' ' || type || ' ' || schema_version || ' ' || key || ' ' || tenant"))
                .containsExactly("journey-step-command library.remind 3 member-1 north");
        assertThat(column(id, "occurred_at AT TIME ZONE 'UTC'")).containsExactly("2026-01-02 03:04:05.123456");
        assertThat(column(id, "content_type")).containsExactly("application/x-loan+json");
        assertThat(column(id, "headers"))
                .containsExactly("{\"traceparent\":\"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00\","
                        + "\"tracestate\":\"vendor=1\"}");
    }

    @Test
    void whatIsMissingIsFilledIn() throws SQLException {
        Instant now = Instant.parse("2026-05-06T07:08:09.999999999Z");
        Outbox fixed = outbox.with(Clock.fixed(now, ZoneOffset.UTC), new Random(1));
        try (Connection connection = database.begin()) {
            UUID id = fixed.stage(connection, loan("{}"));
            connection.commit();

            assertThat(id.version()).isEqualTo(7);
            assertThat(column(id, "uuid_extract_timestamp(id) AT TIME ZONE 'UTC'"))
                    .containsExactly("2026-05-06 07:08:09.999");
            assertThat(column(id, "occurred_at AT TIME ZONE 'UTC'")).containsExactly("2026-05-06 07:08:09.999999");
            assertThat(column(id, "headers ->> 'traceparent'").get(0)).matches("00-[0-9a-f]{32}-[0-9a-f]{16}-01");
            assertThat(column(id, "key")).containsExactly("null");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"a\":\"😀 – ü\"}",
                "  { \"a\" :\t[ 1 , 2.50e+3 ,\n {\"b\":{\"c\":[[],{}]}} ] , \"a\": \"again\" }  \r\n",
                "{\"escaped\":\"\\u0000 \\ud83d\\ude00 \\/ \\\" ?? ? :: \"}",
                "\"just text\"",
                "null",
                "12345678901234567890.000"
            })
    void jsonIsStoredByteForByte(String json) throws SQLException {
        try (Connection connection = database.begin()) {
            UUID id = outbox.stage(connection, loan(json));
            connection.commit();
            assertThat(bytes(connection, "convert_to(payload::text, 'UTF8')", id))
                    .isEqualTo(json.getBytes(StandardCharsets.UTF_8));
        }
    }

    @Test
    void bytesAreStoredAsTheyAre() throws SQLException {
        byte[] payload = new byte[70_000];
        new Random(2).nextBytes(payload);
        try (Connection connection = database.begin()) {
            UUID id = outbox.stage(connection, OutboxMessage.event("t", 1).bytes(payload));
            UUID empty = outbox.stage(connection, OutboxMessage.event("t", 1).bytes(new byte[0]));
            connection.commit();
            assertThat(bytes(connection, "payload_bytes", id)).isEqualTo(payload);
            assertThat(bytes(connection, "payload_bytes", empty)).isEmpty();
        }
    }

    private static byte[] bytes(Connection connection, String column, UUID id) throws SQLException {
        try (PreparedStatement select =
                connection.prepareStatement("SELECT " + column + " FROM outbox.message WHERE id = ?")) {
            select.setObject(1, id);
            try (ResultSet row = select.executeQuery()) {
                assertThat(row.next()).isTrue();
                return row.getBytes(1);
            }
        }
    }

    @Test
    void headersAreEscaped() throws Exception {
        String value = "quote \" backslash \\ tab \t line \n bell \u0007 emoji 😀 '; DROP TABLE";
        try (Connection connection = database.begin()) {
            UUID id = outbox.stage(
                    connection,
                    OutboxMessage.event("t", 1).header("na\"me", value).json("{}"));
            connection.commit();
            JsonNode headers = new ObjectMapper().readTree(column(id, "headers").get(0));
            assertThat(headers.get("na\"me").asText()).isEqualTo(value);
        }
    }

    @Test
    void whatTheDatabaseRefusesComesThroughAsItsSqlException() throws SQLException {
        try (Connection connection = database.begin()) {
            assertThatThrownBy(() -> outbox.stage(connection, loan("{not json")))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("invalid input syntax for type json");
        }
    }

    @Test
    void itWorksThroughAPoolsWrapperAndRewrittenBatches() throws SQLException {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.server().jdbcUrl(database.name()) + "?reWriteBatchedInserts=true");
        config.setUsername(database.server().superuser());
        config.setPassword(database.server().password());
        config.setAutoCommit(false);
        List<OutboxMessage> messages = IntStream.range(0, 700)
                .mapToObj(i ->
                        i % 2 == 0 ? loan(" {} ") : OutboxMessage.event("t", 1).bytes(new byte[] {1}))
                .toList();
        try (HikariDataSource pool = new HikariDataSource(config);
                Connection connection = pool.getConnection()) {
            List<UUID> ids = outbox.stageAll(connection, messages);
            connection.commit();
            assertThat(database.query(
                            "SELECT count(payload) || ' ' || count(payload_bytes) FROM outbox.message WHERE id = ANY (?)",
                            connection.createArrayOf("uuid", ids.toArray())))
                    .containsExactly("350 350");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"\ud83d", "\ude00", "\ude00\ud83d", "\ud83dx"})
    void halfASurrogatePairIsRefusedNotReplaced(String half) {
        assertThatThrownBy(() -> loan("\"" + half + "\""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("payload has half a surrogate pair at index 1");
        assertThatThrownBy(() -> OutboxMessage.event("t", 1).header("h", half).json("{}"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("headers has half a surrogate pair");
    }
}
