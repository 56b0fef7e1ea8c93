package dev.posthaste.benchmarks;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

import dev.posthaste.relay.RelaySettings;
import dev.posthaste.relay.publishing.KafkaSettings;
import dev.posthaste.relay.setup.Initializer;
import dev.posthaste.relay.source.DatabaseSettings;
import dev.posthaste.schemas.Namespace;
import dev.posthaste.schemas.catalog.CatalogReader;
import dev.posthaste.testkit.PostgresServer;
import dev.posthaste.testkit.Stack;

/**
 * An embedded PostgreSQL and Kafka with an outbox of one type and one handler, whose topic has one partition. Not
 * thread-safe, but for {@link #connect}.
 */
final class Bench implements AutoCloseable {

    static final String TYPE = "bench.measured";
    static final String SLOT = "posthaste_bench";
    static final String PUBLICATION = "posthaste";

    private static final Namespace NAMESPACE = new Namespace("bench");

    private final Stack stack;
    private final String database;
    private final Path catalog;

    private Bench(Stack stack, String database, Path catalog) {
        this.stack = stack;
        this.database = database;
        this.catalog = catalog;
    }

    /** Starts the servers and makes what {@code posthaste init} makes. */
    static Bench start() throws Exception {
        Path catalog = Path.of(System.getProperty("posthaste.home", ".."), "benchmarks", "catalog")
                .toAbsolutePath()
                .normalize();
        Stack stack = Stack.start();
        try {
            Bench bench = new Bench(stack, stack.postgres().createDatabase("bench"), catalog);
            new Initializer(bench.settings(), step -> {})
                    .run(CatalogReader.read(catalog), new Initializer.Choices(1, Optional.empty(), false));
            return bench;
        } catch (Exception e) {
            stack.close();
            throw e;
        }
    }

    private RelaySettings settings() {
        return new RelaySettings(
                NAMESPACE,
                SLOT,
                PUBLICATION,
                superuser(),
                new KafkaSettings(bootstrapServers(), Map.of()),
                catalog,
                Duration.ofSeconds(3),
                new RelaySettings.Bounds(2_000, 8 << 20),
                new RelaySettings.Bounds(8_192, 16 << 20),
                Duration.ofMillis(5),
                Duration.ofSeconds(5),
                Duration.ofSeconds(10),
                Duration.ofSeconds(10),
                new RelaySettings.HttpSettings("127.0.0.1", 0));
    }

    DatabaseSettings superuser() {
        PostgresServer postgres = stack.postgres();
        return new DatabaseSettings(
                postgres.host(), postgres.port(), database, postgres.superuser(), postgres.password(), "prefer");
    }

    /** What a relay process must be told; the rest is by default. */
    Map<String, String> environment() {
        PostgresServer postgres = stack.postgres();
        return Map.of(
                "POSTHASTE_NAMESPACE", NAMESPACE.name(),
                "POSTHASTE_SLOT", SLOT,
                "POSTHASTE_DATABASE_URL",
                        "postgresql://" + postgres.superuser() + "@" + postgres.host() + ":" + postgres.port() + "/"
                                + database,
                "POSTHASTE_DATABASE_PASSWORD", postgres.password(),
                "POSTHASTE_KAFKA_BOOTSTRAP_SERVERS", bootstrapServers(),
                "POSTHASTE_CATALOG", catalog.toString(),
                "POSTHASTE_HTTP_PORT", "0");
    }

    String bootstrapServers() {
        return stack.kafka().bootstrapServers();
    }

    String topic() {
        return NAMESPACE.topic("measure");
    }

    /** A session in the outbox's database; the caller closes it. */
    Connection connect() throws SQLException {
        return stack.postgres().connect(database);
    }

    void sql(String sql) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    double number(String sql) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getDouble(1);
        }
    }

    /** Waits until so many messages have evidence. */
    void awaitProved(long messages, Duration timeout) throws SQLException, InterruptedException {
        long deadline = System.nanoTime() + timeout.toNanos();
        while (number("SELECT coalesce(sum(cardinality(message_ids)), 0) FROM outbox.dispatch_batch") < messages) {
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException(
                        "not all of " + messages + " messages were published within " + timeout.toSeconds() + " s");
            }
            Thread.sleep(100);
        }
    }

    @Override
    public void close() {
        stack.close();
    }
}
