package dev.posthaste.chaos.collect;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

import dev.posthaste.chaos.consumer.ConsumerProcess;
import dev.posthaste.chaos.consumer.Provider;
import dev.posthaste.chaos.history.HistoryWriter;
import dev.posthaste.chaos.load.ChaosCatalog;
import dev.posthaste.chaos.load.JavaProcess;
import dev.posthaste.chaos.load.LoadProcess;
import dev.posthaste.chaos.load.LoadSchema;
import dev.posthaste.relay.RelaySettings;
import dev.posthaste.relay.cli.Posthaste;
import dev.posthaste.relay.publishing.KafkaSettings;
import dev.posthaste.relay.setup.Initializer;
import dev.posthaste.relay.setup.TableSetup;
import dev.posthaste.relay.source.DatabaseSettings;
import dev.posthaste.schemas.Namespace;
import dev.posthaste.schemas.catalog.CatalogReader;
import dev.posthaste.testkit.Stack;

/** An outbox, an inbox, a provider, and the processes that go with them, all real. Used by one thread. */
final class RoundTrip implements AutoCloseable {

    private static final String PASSWORD = "pass-of-a-role";

    private final Stack stack;
    private final Path directory;
    private final String outbox;
    private final String inbox;
    private final int relayPort;
    private final HistoryWriter calls;
    final Provider provider;

    RoundTrip(Stack stack, Path directory) throws Exception {
        this.stack = stack;
        this.directory = directory;
        this.outbox = stack.postgres().createDatabase("trip");
        this.inbox = stack.postgres().createDatabase("trip_inbox");
        this.calls = HistoryWriter.open(history().resolve("provider.jsonl"));
        this.provider = Provider.start(calls);
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            this.relayPort = socket.getLocalPort();
        }
        prepare();
    }

    private void prepare() throws Exception {
        ChaosCatalog.writeTo(catalog(), ChaosCatalog.HANDLERS);
        new Initializer(settings(), step -> {})
                .run(CatalogReader.read(catalog()), new Initializer.Choices(3, Optional.empty(), false));
        new TableSetup(superuser(inbox)).migrateInbox();
        LoadSchema.createCounters(stack.postgres().dataSource(outbox));
        LoadSchema.createEffects(stack.postgres().dataSource(inbox));
        try (Connection connection = stack.postgres().connect(outbox);
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "CREATE ROLE " + outbox + " LOGIN REPLICATION PASSWORD '" + PASSWORD + "' IN ROLE posthaste_relay");
            statement.execute(
                    "CREATE ROLE w_" + outbox + " LOGIN PASSWORD '" + PASSWORD + "' IN ROLE posthaste_writer");
            statement.execute(
                    "CREATE ROLE c_" + outbox + " LOGIN PASSWORD '" + PASSWORD + "' IN ROLE posthaste_consumer");
        }
    }

    private Path catalog() {
        return directory.resolve("catalog");
    }

    Path history() throws IOException {
        return Files.createDirectories(directory.resolve("history"));
    }

    String slot() {
        return outbox;
    }

    URI relayUrl() {
        return URI.create("http://127.0.0.1:" + relayPort);
    }

    private Namespace namespace() {
        return new Namespace(outbox.replace('_', '-'));
    }

    RunSources sources() {
        return new RunSources(
                stack.postgres().dataSource(outbox),
                stack.postgres().dataSource(inbox),
                stack.kafka().bootstrapServers(),
                namespace(),
                ChaosCatalog.HANDLERS);
    }

    JavaProcess relay() {
        return JavaProcess.start(
                Posthaste.class,
                directory,
                Map.of(
                        "POSTHASTE_NAMESPACE", namespace().name(),
                        "POSTHASTE_SLOT", slot(),
                        "POSTHASTE_DATABASE_URL",
                                "postgresql://" + outbox + "@"
                                        + stack.postgres().host() + ":"
                                        + stack.postgres().port() + "/" + outbox,
                        "POSTHASTE_DATABASE_PASSWORD", PASSWORD,
                        "POSTHASTE_KAFKA_BOOTSTRAP_SERVERS", stack.kafka().bootstrapServers(),
                        "POSTHASTE_CATALOG", catalog().toString(),
                        "POSTHASTE_BATCH_MESSAGES", "50",
                        "POSTHASTE_HTTP_PORT", Integer.toString(relayPort)),
                "relay");
    }

    JavaProcess load() throws IOException {
        return JavaProcess.start(
                LoadProcess.class,
                directory,
                Map.of(
                        "CHAOS_JDBC_URL", stack.postgres().jdbcUrl(outbox),
                        "CHAOS_USER", "w_" + outbox,
                        "CHAOS_PASSWORD", PASSWORD,
                        "CHAOS_HISTORY", history().resolve("load.jsonl").toString(),
                        "CHAOS_RATE", "100",
                        "CHAOS_KEYS", "50",
                        "CHAOS_ROLLBACK_SHARE", "0.2",
                        "CHAOS_SAVEPOINT_SHARE", "0.1",
                        "CHAOS_REFUSED_SHARE", "0.02"));
    }

    JavaProcess consumer(String... namesAndValues) {
        Map<String, String> environment = new HashMap<>(Map.of(
                "CHAOS_INBOX_URL", stack.postgres().jdbcUrl(inbox),
                "CHAOS_INBOX_USER", "c_" + outbox,
                "CHAOS_INBOX_PASSWORD", PASSWORD,
                "CHAOS_BOOTSTRAP_SERVERS", stack.kafka().bootstrapServers(),
                "CHAOS_NAMESPACE", namespace().name(),
                "CHAOS_PROVIDER_URL", provider.url().toString()));
        for (int i = 0; i < namesAndValues.length; i += 2) {
            environment.put(namesAndValues[i], namesAndValues[i + 1]);
        }
        return JavaProcess.start(ConsumerProcess.class, directory, environment);
    }

    private RelaySettings settings() {
        return new RelaySettings(
                namespace(),
                slot(),
                "posthaste",
                superuser(outbox),
                new KafkaSettings(stack.kafka().bootstrapServers(), Map.of()),
                catalog(),
                Duration.ofSeconds(3),
                new RelaySettings.Bounds(100, 8 << 20),
                new RelaySettings.Bounds(1_000, 64 << 20),
                Duration.ofMillis(5),
                Duration.ofSeconds(5),
                Duration.ofSeconds(10),
                Duration.ofSeconds(10),
                new RelaySettings.HttpSettings("127.0.0.1", 0));
    }

    private DatabaseSettings superuser(String database) {
        return new DatabaseSettings(
                stack.postgres().host(),
                stack.postgres().port(),
                database,
                stack.postgres().superuser(),
                stack.postgres().password(),
                "prefer");
    }

    @Override
    public void close() {
        provider.close();
        calls.close();
    }
}
