package dev.posthaste.producer;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.posthaste.schemas.MessageLimits;
import dev.posthaste.testkit.PostgresServer;
import dev.posthaste.testkit.PosthasteStack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Bad rows fail at INSERT, whatever language writes them, with an error that names the rule. */
@PosthasteStack
class MessageConstraintsTest {

    private static final String ONE_PAYLOAD = "exactly_one_of_payload_and_payload_bytes_is_set";
    private static final String HEADERS = "headers_is_a_json_object_of_strings_without_reserved_names";

    private static OutboxDatabase database;

    @BeforeAll
    static void migrate(PostgresServer server) {
        database = OutboxDatabase.create(server);
    }

    /** Inserts a good row with these columns, given as SQL, in place of its own. */
    private static void insert(Map<String, String> columns) throws SQLException {
        Map<String, String> row = new TreeMap<>(
                Map.of("kind", "'integration-event'", "type", "'t'", "schema_version", "1", "payload", "'{}'"));
        row.putAll(columns);
        String sql = "INSERT INTO outbox.message (" + String.join(", ", row.keySet()) + ") VALUES ("
                + String.join(", ", row.values()) + ")";
        try (Connection connection = database.connect();
                PreparedStatement insert = connection.prepareStatement(sql)) {
            insert.executeUpdate();
        }
    }

    static Stream<Arguments> badRows() {
        return Stream.of(
                Arguments.of(
                        "kind_is_integration_event_journey_step_command_or_side_effect", Map.of("kind", "'event'")),
                Arguments.of("type_is_not_empty", Map.of("type", "''")),
                Arguments.of("type_is_at_most_200_characters", Map.of("type", "repeat('ü', 201)")),
                Arguments.of("schema_version_is_at_least_1", Map.of("schema_version", "0")),
                Arguments.of("key_is_not_empty", Map.of("key", "''")),
                Arguments.of("key_is_at_most_1024_bytes", Map.of("key", "repeat('ü', 513)")),
                Arguments.of("tenant_is_at_most_200_characters", Map.of("tenant", "repeat('x', 201)")),
                Arguments.of("content_type_is_not_empty_and_at_most_200_characters", Map.of("content_type", "''")),
                Arguments.of(
                        "content_type_is_not_empty_and_at_most_200_characters",
                        Map.of("content_type", "repeat('x', 201)")),
                Arguments.of("type_has_no_control_characters", Map.of("type", "E'a\\nb'")),
                Arguments.of("tenant_has_no_control_characters", Map.of("tenant", "E'a\\x1b[31m'")),
                Arguments.of("content_type_has_no_control_characters", Map.of("content_type", "E'text\\nx'")),
                Arguments.of("occurred_at_is_in_years_1_to_9999", Map.of("occurred_at", "'infinity'")),
                Arguments.of("occurred_at_is_in_years_1_to_9999", Map.of("occurred_at", "'10000-01-01 00:00+00'")),
                Arguments.of("created_at_is_in_years_1_to_9999", Map.of("created_at", "'-infinity'")),
                Arguments.of(ONE_PAYLOAD, Map.of("payload", "NULL")),
                Arguments.of(ONE_PAYLOAD, Map.of("payload_bytes", "'\\x00'")),
                Arguments.of(
                        "payload_is_at_most_8_mib", Map.of("payload", "('\"' || repeat('x', 8388607) || '\"')::json")),
                Arguments.of(
                        "payload_bytes_is_at_most_8_mib",
                        Map.of("payload", "NULL", "payload_bytes", "repeat('x', 8388609)::bytea")),
                Arguments.of(HEADERS, Map.of("headers", "'[]'")),
                Arguments.of(HEADERS, Map.of("headers", "'\"text\"'")),
                Arguments.of(HEADERS, Map.of("headers", "'null'")),
                Arguments.of(HEADERS, Map.of("headers", "'{\"a\": 1}'")),
                Arguments.of(HEADERS, Map.of("headers", "'{\"a\": null}'")),
                Arguments.of(HEADERS, Map.of("headers", "'{\"a\": {\"b\": \"c\"}}'")),
                Arguments.of(HEADERS, Map.of("headers", "'{\"\": \"a\"}'")),
                Arguments.of(HEADERS, Map.of("headers", "'{\"ce_id\": \"a\"}'")),
                Arguments.of(HEADERS, Map.of("headers", "'{\"Ce_Anything\": \"a\"}'")),
                Arguments.of(HEADERS, Map.of("headers", "'{\"posthaste_staged_at\": \"a\"}'")),
                Arguments.of(HEADERS, Map.of("headers", "'{\"Content-Type\": \"a\"}'")),
                Arguments.of(
                        "headers_is_at_most_16_kib",
                        Map.of("headers", "('{\"a\": \"' || repeat('x', 16384) || '\"}')::json")));
    }

    @ParameterizedTest
    @MethodSource("badRows")
    void aBadRowFailsUnderTheNameOfItsRule(String constraint, Map<String, String> columns) {
        assertThatThrownBy(() -> insert(columns))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("\"" + constraint + "\"")
                .extracting(e -> ((SQLException) e).getSQLState())
                .isEqualTo("23514");
    }

    @Test
    void everyCheckHasABadRow() throws SQLException {
        List<String> checks = database.query(
                "SELECT conname FROM pg_constraint WHERE conrelid = 'outbox.message'::regclass AND contype = 'c'");
        assertThat(badRows().map(arguments -> arguments.get()[0]).toList())
                .map(String::valueOf)
                .containsAll(new TreeSet<>(checks));
        assertThat(checks).hasSizeGreaterThan(10);
    }

    @Test
    void whatIsNotJsonFails() {
        assertThatThrownBy(() -> insert(Map.of("payload", "'{\"a\":}'")))
                .hasMessageContaining("invalid input syntax for type json");
        assertThatThrownBy(() -> insert(Map.of("headers", "'{a}'")))
                .hasMessageContaining("invalid input syntax for type json");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"kind", "type", "schema_version", "tenant", "occurred_at", "content_type", "created_at", "id"})
    void nullFailsUnderTheNameOfItsColumn(String column) {
        assertThatThrownBy(() -> insert(Map.of(column, "NULL")))
                .hasMessageContaining("null value in column \"" + column + "\"");
    }

    @Test
    void whatIsJustWithinTheLimitsIsTaken() {
        assertThatCode(() -> insert(Map.of(
                        "type", "repeat('ü', " + MessageLimits.TYPE_CHARACTERS_MAX + ")",
                        "key", "repeat('x', " + MessageLimits.KEY_BYTES_MAX + ")",
                        "tenant", "repeat('x', " + MessageLimits.TENANT_CHARACTERS_MAX + ")",
                        "content_type", "repeat('x', " + MessageLimits.CONTENT_TYPE_CHARACTERS_MAX + ")",
                        "headers",
                                "('{\"a\":\"' || repeat('x', " + (MessageLimits.HEADERS_BYTES_MAX - 8)
                                        + ") || '\"}')::json",
                        "payload",
                                "('\"' || repeat('x', " + (MessageLimits.PAYLOAD_BYTES_MAX - 2) + ") || '\"')::json")))
                .doesNotThrowAnyException();
        assertThatCode(() -> insert(Map.of(
                        "payload",
                        "NULL",
                        "payload_bytes",
                        "repeat('x', " + MessageLimits.PAYLOAD_BYTES_MAX + ")::bytea")))
                .doesNotThrowAnyException();
    }

    @ParameterizedTest
    @MethodSource("limits")
    void theLimitsInJavaAreTheTables(String constraint, int limit, String unit) throws SQLException {
        List<String> definition = database.query(
                "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'outbox.message'::regclass AND conname = ?",
                constraint);
        assertThat(definition).singleElement().asString().contains(unit).contains("<= " + limit + ")");
    }

    static Stream<Arguments> limits() {
        return Stream.of(
                Arguments.of("type_is_at_most_200_characters", MessageLimits.TYPE_CHARACTERS_MAX, "char_length(type)"),
                Arguments.of("key_is_at_most_1024_bytes", MessageLimits.KEY_BYTES_MAX, "octet_length(key)"),
                Arguments.of(
                        "tenant_is_at_most_200_characters", MessageLimits.TENANT_CHARACTERS_MAX, "char_length(tenant)"),
                Arguments.of(
                        "content_type_is_not_empty_and_at_most_200_characters",
                        MessageLimits.CONTENT_TYPE_CHARACTERS_MAX,
                        "char_length(content_type)"),
                Arguments.of("payload_is_at_most_8_mib", MessageLimits.PAYLOAD_BYTES_MAX, "octet_length(("),
                Arguments.of(
                        "payload_bytes_is_at_most_8_mib",
                        MessageLimits.PAYLOAD_BYTES_MAX,
                        "octet_length(payload_bytes)"),
                Arguments.of("headers_is_at_most_16_kib", MessageLimits.HEADERS_BYTES_MAX, "octet_length(("));
    }
}
