package dev.posthaste.relay;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Properties;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.posthaste.relay.source.DatabaseSettings;
import dev.posthaste.testkit.EmbeddedPostgres;
import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.ReportedCase;
import dev.posthaste.testkit.Stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/** A cluster that lets nobody in but the relay's role into the outbox's database (and the test, to look on). */
@PosthasteStack
class RejectingClusterTest {

    private static final String REJECTED = "28000";

    @Test
    @ReportedCase(18)
    void aRoleWithLoginAndReplicationIsEnoughWhereEverythingElseIsRejected(Stack stack, @TempDir Path directory)
            throws Exception {
        try (EmbeddedPostgres postgres = EmbeddedPostgres.launch()) {
            Outbox outbox = Outbox.initialised(new OwnStack(postgres, stack.kafka()), directory);
            DatabaseSettings database = outbox.settings().database();
            outbox.sql("CREATE ROLE relay_only LOGIN REPLICATION PASSWORD 'relay' IN ROLE posthaste_relay");
            outbox.sql("CREATE ROLE somebody LOGIN REPLICATION PASSWORD 'relay' IN ROLE posthaste_relay");
            Files.writeString(postgres.data().resolve("pg_hba.conf"), """
                    host replication all all reject
                    host %1$s relay_only 127.0.0.1/32 scram-sha-256
                    host all postgres 127.0.0.1/32 scram-sha-256
                    host all all all reject
                    """.formatted(database.name()));
            outbox.sql("SELECT pg_reload_conf()");
            await().atMost(Duration.ofSeconds(10))
                    .untilAsserted(() -> requireRejected(postgres, database.name(), "somebody", null));
            requireRejected(postgres, "postgres", "relay_only", null);
            requireRejected(postgres, database.name(), "relay_only", "true"); // physical replication

            RelaySettings settings = Adjusted.database(
                    outbox.settings(),
                    new DatabaseSettings(
                            database.host(), database.port(), database.name(), "relay_only", "relay", "prefer"));
            try (RunningRelay relay = RunningRelay.start(settings).awaitStreaming()) {
                outbox.insert(100, "copy-1");
                outbox.awaitDispatched();
                assertThat(Writers.endWalsender(outbox)).isTrue();
                relay.awaitRestart();
                outbox.insert(100, "copy-1");
                outbox.awaitDispatched();
            }
            assertThat(outbox.idsOn("due-notice")).isEqualTo(outbox.ids()).hasSize(200);
            outbox.assertEachMessageIsPublishedOnceAndProvedOnce();
        }
    }

    private static void requireRejected(EmbeddedPostgres postgres, String database, String role, String replication) {
        Properties properties = new Properties();
        properties.setProperty("user", role);
        properties.setProperty("password", "relay");
        if (replication != null) {
            properties.setProperty("replication", replication);
            properties.setProperty("assumeMinServerVersion", "18");
            properties.setProperty("preferQueryMode", "simple");
        }
        assertThatThrownBy(() -> connect(postgres.jdbcUrl(database), properties))
                .isInstanceOf(SQLException.class)
                .satisfies(e -> assertThat(((SQLException) e).getSQLState()).isEqualTo(REJECTED));
    }

    private static void connect(String url, Properties properties) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url, properties)) {
            assertThat(connection.isValid(1)).isTrue();
        }
    }
}
