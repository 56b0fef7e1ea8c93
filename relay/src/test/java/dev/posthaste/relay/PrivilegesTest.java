package dev.posthaste.relay;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.posthaste.relay.source.DatabaseSettings;
import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.ReportedCase;
import dev.posthaste.testkit.Stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/** The relay runs as a role with LOGIN, REPLICATION and membership in posthaste_relay, and no other right. */
@PosthasteStack
@ReportedCase(18)
class PrivilegesTest {

    private Outbox outbox;
    private RelaySettings settings;
    private String role;

    @BeforeEach
    void roleOfTheRelay(Stack stack, @TempDir Path directory) {
        outbox = Outbox.initialised(stack, directory);
        role = "relay_of_" + outbox.settings().slot();
        outbox.sql("CREATE ROLE " + role + " LOGIN REPLICATION PASSWORD 'relay' IN ROLE posthaste_relay");
        DatabaseSettings database = outbox.settings().database();
        settings = Adjusted.database(
                outbox.settings(),
                new DatabaseSettings(
                        database.host(), database.port(), database.name(), role, "relay", database.sslMode()));
    }

    @AfterEach
    void dropRole() {
        outbox.sql("DROP ROLE " + role);
    }

    @Test
    void itPublishesTakesOverFromItsPredecessorAndKeepsThePartitions() throws Exception {
        outbox.sql("DROP TABLE outbox.message_"
                + outbox.column("SELECT to_char((now() + interval '3 days') AT TIME ZONE 'UTC', 'YYYYMMDD')")
                        .get(0));
        long partitions = partitions();
        try (RunningRelay relay = RunningRelay.start(settings).awaitStreaming()) {
            outbox.insert(10, "copy-1");
            outbox.awaitDispatched();
            assertThat(Writers.endWalsender(outbox)).isTrue();
            relay.awaitRestart();
            outbox.insert(10, "copy-1");
            outbox.awaitDispatched();
            await().atMost(Duration.ofSeconds(20)).until(() -> partitions() == partitions + 1);
        }
        assertThat(outbox.number("SELECT count(*) FROM pg_class WHERE relowner = '" + role + "'::regrole"))
                .isZero();
        assertThat(outbox.ids()).hasSize(20);
        outbox.assertEachMessageIsPublishedOnceAndProvedOnce();
    }

    private long partitions() {
        return outbox.number("SELECT count(*) FROM pg_inherits WHERE inhparent = 'outbox.message'::regclass");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "CREATE TABLE outbox.own (id int)",
                "CREATE TABLE public.own (id int)",
                "CREATE SCHEMA own",
                "CREATE PUBLICATION own FOR TABLE outbox.message",
                "DROP PUBLICATION posthaste",
                "INSERT INTO outbox.message (kind, type, schema_version, payload)"
                        + " VALUES ('integration-event', 'a', 1, '{}')",
                "DELETE FROM outbox.message",
                "UPDATE outbox.dispatch_batch SET fence = 1",
                "DELETE FROM outbox.dispatch_batch",
                "DELETE FROM relay.lease",
                "UPDATE relay.topic SET partitions = 1",
                "DELETE FROM outbox.quarantined",
                "DELETE FROM outbox.audit",
                "INSERT INTO relay.source (slot, namespace) VALUES ('other', 'other')"
            })
    void itMayDoNothingElse(String sql) throws SQLException {
        try (Connection connection = settings.database().connect("posthaste-test");
                Statement statement = connection.createStatement()) {
            assertThatThrownBy(() -> statement.execute(sql))
                    .isInstanceOf(SQLException.class)
                    .satisfies(e -> assertThat(((SQLException) e).getSQLState()).isEqualTo("42501"));
        }
    }
}
