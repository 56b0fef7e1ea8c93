package dev.posthaste.producer;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.posthaste.testkit.PostgresServer;
import dev.posthaste.testkit.PosthasteStack;

import static dev.posthaste.producer.OutboxDatabase.loan;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What members of the group roles may do in the outbox. */
@PosthasteStack
class RolesTest {

    private static OutboxDatabase database;

    @BeforeAll
    static void migrate(PostgresServer server) {
        database = OutboxDatabase.create(server);
    }

    private static void run(String role, String sql) throws SQLException {
        try (Connection connection = database.connectAsMemberOf(role);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static void denied(String role, String sql) {
        assertThatThrownBy(() -> run(role, sql))
                .as("%s: %s", role, sql)
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("permission denied")
                .extracting(e -> ((SQLException) e).getSQLState())
                .isEqualTo("42501");
    }

    @Test
    void aWriterStagesWithTheSdk() throws SQLException {
        try (Connection connection = database.connectAsMemberOf("posthaste_writer")) {
            connection.setAutoCommit(false);
            UUID id = Outbox.create().stage(connection, loan("{}"));
            connection.commit();
            assertThat(database.query("SELECT type FROM outbox.message WHERE id = ?", id))
                    .containsExactly("library.loan-borrowed");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT id FROM outbox.message",
                "UPDATE outbox.message SET type = 'x'",
                "DELETE FROM outbox.message",
                "TRUNCATE outbox.message",
                "INSERT INTO outbox.message (kind, type, schema_version, payload, created_at) VALUES ('integration-event', 't', 1, '{}', now())",
                "INSERT INTO outbox.message (kind, type, schema_version, payload, staged_xid) VALUES ('integration-event', 't', 1, '{}', 1)",
                "INSERT INTO outbox.message (kind, type, schema_version, payload) VALUES ('integration-event', 't', 1, '{}') RETURNING id",
                "SELECT * FROM outbox.record",
                "SELECT * FROM outbox.dispatch_batch",
                "SELECT * FROM outbox.settled",
                "SELECT outbox.ensure_partitions()",
                "SELECT outbox.pending()",
                "SELECT outbox.pending_summary()",
                "SELECT outbox.advance_settled()",
                "SELECT * FROM relay.lease"
            })
    void aWriterOnlyInserts(String sql) {
        denied("posthaste_writer", sql);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "INSERT INTO outbox.message (kind, type, schema_version, payload) VALUES ('integration-event', 't', 1, '{}')",
                "DELETE FROM outbox.message",
                "UPDATE outbox.dispatch_batch SET fence = 2",
                "DELETE FROM outbox.dispatch_batch",
                "DELETE FROM relay.lease"
            })
    void theRelayNeitherWritesMessagesNorChangesEvidence(String sql) {
        denied("posthaste_relay", sql);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT outbox.ensure_partitions()",
                "SELECT outbox.pending_summary()",
                "SELECT outbox.advance_settled()",
                "SELECT count(*) FROM outbox.record",
                "INSERT INTO outbox.dispatch_batch (slot, batch, attempt, fence, position, catalog_version, staged, message_ids)"
                        + " VALUES ('roles', 1, 1, 1, '0/1', 'v', tstzrange(now(), now(), '[]'), ARRAY[uuidv7()])",
                "INSERT INTO relay.lease VALUES ('roles', 'me', 1, now(), now()) ON CONFLICT (slot) DO UPDATE SET fence = 2"
            })
    void theRelayDoesItsWork(String sql) {
        assertThatCode(() -> run("posthaste_relay", sql)).doesNotThrowAnyException();
    }

    @Test
    void aReaderReadsAndChangesNothing() {
        assertThatCode(() -> run("posthaste_reader", "SELECT count(*) FROM outbox.record"))
                .doesNotThrowAnyException();
        assertThatCode(() -> run("posthaste_reader", "SELECT outbox.pending_summary()"))
                .doesNotThrowAnyException();
        denied("posthaste_reader", "DELETE FROM outbox.message");
        denied("posthaste_reader", "SELECT outbox.advance_settled()");
    }

    @Test
    void nobodyChangesAMessageNotEvenTheOwner() throws SQLException {
        UUID id = database.stageCommitted();

        assertThatThrownBy(() -> database.execute("UPDATE outbox.message SET type = 'x' WHERE id = '" + id + "'"))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("insert-only")
                .hasMessageContaining(id.toString());
    }
}
