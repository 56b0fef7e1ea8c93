package dev.posthaste.examples.demo;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import dev.posthaste.relay.RelaySettings;
import dev.posthaste.relay.publishing.KafkaSettings;
import dev.posthaste.relay.setup.Initializer;
import dev.posthaste.relay.setup.StepResult;
import dev.posthaste.relay.setup.TableSetup;
import dev.posthaste.relay.source.DatabaseSettings;
import dev.posthaste.schemas.Namespace;
import dev.posthaste.schemas.catalog.CatalogReader;
import dev.posthaste.testkit.PostgresServer;
import dev.posthaste.testkit.Stack;

/**
 * The embedded stack with everything the demo's processes need: three databases, a role for each of them with no more
 * rights than it needs, and what {@code posthaste init} makes.
 */
final class DemoStack implements AutoCloseable {

    static final String NAMESPACE = "library";
    static final String OUTBOX_DATABASE = "library";
    static final String CIRCULATION_DATABASE = "circulation";
    static final String REPORTING_DATABASE = "reporting";

    private static final int PARTITIONS = 3;

    private final Stack stack;
    private final Path catalog;
    private final int relayPort;

    DemoStack(Stack stack, Path catalog, int relayPort) {
        this.stack = stack;
        this.catalog = catalog;
        this.relayPort = relayPort;
    }

    /** Makes databases, roles, tables, slot and topics; returns how many things were made. */
    int prepare() throws Exception {
        sql(
                "postgres",
                List.of(
                        "CREATE DATABASE " + OUTBOX_DATABASE,
                        "CREATE DATABASE " + CIRCULATION_DATABASE,
                        "CREATE DATABASE " + REPORTING_DATABASE));
        Counter made = new Counter();
        new Initializer(settings(superuser(OUTBOX_DATABASE)), made::count)
                .run(CatalogReader.read(catalog), new Initializer.Choices(PARTITIONS, Optional.empty(), false));
        for (String database : List.of(CIRCULATION_DATABASE, REPORTING_DATABASE)) {
            new TableSetup(superuser(database)).migrateInbox().forEach(made::count);
        }
        sql(
                OUTBOX_DATABASE,
                List.of(
                        "CREATE ROLE relay LOGIN REPLICATION PASSWORD 'relay' IN ROLE posthaste_relay",
                        "CREATE ROLE operator LOGIN PASSWORD 'operator' IN ROLE posthaste_operator",
                        "CREATE ROLE lending LOGIN PASSWORD 'lending' IN ROLE posthaste_writer",
                        "CREATE ROLE circulation LOGIN PASSWORD 'circulation' IN ROLE posthaste_consumer",
                        "CREATE ROLE reporting LOGIN PASSWORD 'reporting' IN ROLE posthaste_consumer",
                        "GRANT posthaste_reader TO lending",
                        "GRANT CREATE ON DATABASE library TO lending"));
        sql(CIRCULATION_DATABASE, List.of("GRANT CREATE ON DATABASE circulation TO circulation"));
        sql(REPORTING_DATABASE, List.of("GRANT CREATE ON DATABASE reporting TO reporting"));
        return made.made;
    }

    private static final class Counter {
        private int made;

        void count(StepResult step) {
            made += step.made() ? 1 : 0;
        }
    }

    /** What a relay process is told. */
    Map<String, String> relayEnvironment() {
        return Map.of(
                "POSTHASTE_NAMESPACE", NAMESPACE,
                "POSTHASTE_DATABASE_URL", url("relay", OUTBOX_DATABASE),
                "POSTHASTE_DATABASE_PASSWORD", "relay",
                "POSTHASTE_KAFKA_BOOTSTRAP_SERVERS", kafka(),
                "POSTHASTE_CATALOG", catalog.toString(),
                // Small batches, so that a kill finds a batch in the making.
                "POSTHASTE_BATCH_MESSAGES", "100",
                "POSTHASTE_HTTP_PORT", Integer.toString(relayPort));
    }

    /** {@code postgresql://role:role@host:port/database}, as psql takes it. */
    String psqlUrl(String role, String database) {
        return "postgresql://" + role + ":" + role + "@" + postgres().host() + ":"
                + postgres().port() + "/" + database;
    }

    /** A JDBC URL with the role's password. */
    String jdbcUrl(String role, String database) {
        return "jdbc:postgresql://" + postgres().host() + ":" + postgres().port() + "/" + database + "?user=" + role
                + "&password=" + role;
    }

    private String url(String role, String database) {
        return "postgresql://" + role + "@" + postgres().host() + ":"
                + postgres().port() + "/" + database;
    }

    RelaySettings settings() {
        return settings(superuser(OUTBOX_DATABASE));
    }

    private RelaySettings settings(DatabaseSettings database) {
        return new RelaySettings(
                new Namespace(NAMESPACE),
                "posthaste_library",
                "posthaste",
                database,
                new KafkaSettings(kafka(), Map.of()),
                catalog,
                Duration.ofSeconds(3),
                new RelaySettings.Bounds(100, 8 * 1024 * 1024),
                new RelaySettings.Bounds(8192, 64 * 1024 * 1024),
                Duration.ofMillis(5),
                Duration.ofSeconds(5),
                Duration.ofSeconds(20),
                Duration.ofSeconds(10),
                new RelaySettings.HttpSettings("127.0.0.1", relayPort));
    }

    private DatabaseSettings superuser(String database) {
        return new DatabaseSettings(
                postgres().host(),
                postgres().port(),
                database,
                postgres().superuser(),
                postgres().password(),
                "prefer");
    }

    Connection connect(String database) throws SQLException {
        return postgres().connect(database);
    }

    String kafka() {
        return stack.kafka().bootstrapServers();
    }

    int relayPort() {
        return relayPort;
    }

    Path catalog() {
        return catalog;
    }

    private PostgresServer postgres() {
        return stack.postgres();
    }

    private void sql(String database, List<String> statements) throws SQLException {
        try (Connection connection = connect(database);
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    @Override
    public void close() {
        stack.close();
    }
}
