package dev.posthaste.producer;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.databind.node.BooleanNode;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import dev.posthaste.schemas.MessageKind;
import dev.posthaste.schemas.OutboxMessage;
import dev.posthaste.schemas.catalog.Catalog;
import dev.posthaste.schemas.catalog.EventRecord;
import dev.posthaste.testkit.PostgresServer;
import dev.posthaste.testkit.PosthasteStack;

import static dev.posthaste.producer.OutboxDatabase.loan;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@PosthasteStack
class OutboxCatalogTest {

    private static final EventRecord.EventVersion ANY = new EventRecord.EventVersion(BooleanNode.TRUE, Map.of());
    private static final Catalog CATALOG = new Catalog(
            "v",
            List.of(new EventRecord(
                    "library.loan-borrowed",
                    MessageKind.INTEGRATION_EVENT,
                    "outbound",
                    "public",
                    "lending",
                    Map.of(1, ANY, 2, ANY))),
            List.of(),
            Map.of("library.cache-warmed", "operators warm it again by hand"));

    private static OutboxDatabase database;

    private final Outbox outbox = Outbox.create(CATALOG);

    @BeforeAll
    static void migrate(PostgresServer server) {
        database = OutboxDatabase.create(server);
    }

    private void refuses(OutboxMessage message, String... words) throws SQLException {
        try (Connection connection = database.begin()) {
            assertThatThrownBy(() -> outbox.stageAll(connection, List.of(loan("{}"), message)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContainingAll(words);
            connection.commit();
        }
        assertThat(database.messages()).isZero();
    }

    @Test
    void aKnownMessageIsStaged() throws SQLException {
        try (Connection connection = database.begin()) {
            outbox.stage(
                    connection, OutboxMessage.event("library.loan-borrowed", 2).json("{}"));
            assertThat(OutboxDatabase.query(connection, "SELECT count(*) FROM outbox.message"))
                    .containsExactly("1");
        }
    }

    @Test
    void anUnknownTypeIsRefused() throws SQLException {
        refuses(OutboxMessage.event("library.lost", 1).json("{}"), "library.lost", "events/library.lost.yaml");
    }

    @Test
    void aVersionTheCatalogLacksIsRefused() throws SQLException {
        refuses(OutboxMessage.event("library.loan-borrowed", 3).json("{}"), "version 3", "[1, 2]");
    }

    @Test
    void anotherKindThanTheRecordsIsRefused() throws SQLException {
        refuses(
                OutboxMessage.command("library.loan-borrowed", 1).json("{}"),
                "journey-step-command",
                "integration-event");
    }

    @Test
    void anExcludedTypeIsRefusedWithItsReason() throws SQLException {
        refuses(
                OutboxMessage.event("library.cache-warmed", 1).json("{}"),
                "library.cache-warmed",
                "operators warm it again by hand",
                "AfterCommit");
    }
}
