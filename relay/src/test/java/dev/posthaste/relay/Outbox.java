package dev.posthaste.relay;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

import org.apache.kafka.clients.consumer.ConsumerRecord;

import dev.posthaste.relay.publishing.KafkaSettings;
import dev.posthaste.relay.publishing.Position;
import dev.posthaste.relay.publishing.PositionStore;
import dev.posthaste.relay.setup.Initializer;
import dev.posthaste.relay.source.DatabaseSettings;
import dev.posthaste.relay.source.Lsn;
import dev.posthaste.schemas.Namespace;
import dev.posthaste.schemas.catalog.CatalogReader;
import dev.posthaste.testkit.Stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** One outbox with everything a relay needs: a database, topics and a catalog of its own on the shared stack. */
public final class Outbox {

    /** The type that both handlers read. */
    public static final String TYPE = "library.loan-borrowed";

    private final Stack stack;
    private final String database;
    private final Path catalog;
    private final RelaySettings settings;

    private Outbox(Stack stack, String database, Path catalog, RelaySettings settings) {
        this.stack = stack;
        this.database = database;
        this.catalog = catalog;
        this.settings = settings;
    }

    /** Makes a database and a catalog with two handlers of one type, and nothing else. */
    public static Outbox bare(Stack stack, Path directory) {
        dropSlotsOfEarlierTests(stack);
        String database = stack.postgres().createDatabase("outbox");
        Path catalog = TestCatalog.write(directory.resolve("catalog"));
        String name = database.replace('_', '-');
        RelaySettings settings = new RelaySettings(
                new Namespace(name),
                database.replaceAll("[^a-z0-9_]", "_"),
                "posthaste",
                new DatabaseSettings(
                        stack.postgres().host(),
                        stack.postgres().port(),
                        database,
                        stack.postgres().superuser(),
                        stack.postgres().password(),
                        "prefer"),
                new KafkaSettings(stack.kafka().bootstrapServers(), Map.of()),
                catalog,
                Duration.ofSeconds(3),
                new RelaySettings.Bounds(500, 4 * 1024 * 1024),
                new RelaySettings.Bounds(2_000, 32 * 1024 * 1024),
                Duration.ofMillis(5),
                Duration.ofMillis(500),
                Duration.ofSeconds(10),
                Duration.ofSeconds(5),
                new RelaySettings.HttpSettings("127.0.0.1", 0));
        return new Outbox(stack, database, catalog, settings);
    }

    /** Tests run one after the other; their databases may stay, but the slots are few and hold back WAL. */
    private static void dropSlotsOfEarlierTests(Stack stack) {
        try (Connection connection = stack.postgres().connect("postgres");
                Statement statement = connection.createStatement()) {
            statement.execute("SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE NOT active");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The same outbox on another server, after a failover or a restore. */
    public Outbox on(Stack other) {
        DatabaseSettings before = settings.database();
        DatabaseSettings there = new DatabaseSettings(
                other.postgres().host(),
                other.postgres().port(),
                before.name(),
                before.user(),
                before.password(),
                before.sslMode());
        return new Outbox(other, database, catalog, Adjusted.database(settings, there));
    }

    /** The same, initialised. */
    public static Outbox initialised(Stack stack, Path directory) {
        Outbox outbox = bare(stack, directory);
        outbox.initialise();
        return outbox;
    }

    /** Runs what {@code posthaste init} runs; returns what it said. */
    public List<String> initialise() {
        try {
            return initialise(settings, false);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** The same with other settings, and as it fails. */
    public List<String> initialise(RelaySettings other, boolean leaveEarlier) throws Exception {
        List<String> said = new ArrayList<>();
        new Initializer(other, step -> said.add((step.made() ? "made " : "there ") + step.text()))
                .run(CatalogReader.read(catalog), new Initializer.Choices(3, Optional.empty(), leaveEarlier));
        return said;
    }

    /** Waits until every committed message has its evidence. */
    public void awaitDispatched() {
        await().atMost(Duration.ofSeconds(60)).until(() -> pending() == 0);
    }

    /** How many committed messages have no evidence. */
    public long pending() {
        return number("SELECT messages FROM outbox.pending_summary()");
    }

    /** How many messages have evidence, counted as often as they have it. */
    public long dispatched() {
        return number("SELECT coalesce(sum(cardinality(message_ids)), 0) FROM outbox.dispatch_batch");
    }

    /** The position in Kafka. */
    public Position position() {
        return new PositionStore(settings.publisher()).read().orElseThrow();
    }

    /** Where the slot stands. */
    public Lsn slot() {
        return Lsn.parse(column("SELECT confirmed_flush_lsn FROM pg_replication_slots WHERE slot_name = '"
                        + settings.slot() + "'")
                .get(0));
    }

    /** Every committed message is on the topics of both handlers once and has evidence once. */
    public void assertEachMessageIsPublishedOnceAndProvedOnce() {
        List<UUID> committed = ids().stream().sorted().toList(); // sorted, or comparing takes the square of the time
        for (String handler : List.of("due-notice", "statistics")) {
            assertThat(idsOn(handler).stream().sorted())
                    .as("on the topic of " + handler)
                    .isEqualTo(committed);
        }
        assertThat(idsInEvidence().stream().sorted()).as("in the evidence").isEqualTo(committed);
    }

    /** The ids that have evidence, in the order in which they were published. */
    public List<UUID> idsInEvidence() {
        return column(
                        "SELECT id FROM outbox.dispatch_batch b, unnest(b.message_ids) WITH ORDINALITY AS proved (id, place)"
                                + " ORDER BY b.batch, proved.place")
                .stream()
                .map(UUID::fromString)
                .toList();
    }

    public RelaySettings settings() {
        return settings;
    }

    /** Its settings with another slot. */
    public RelaySettings withSlot(String slot) {
        return Adjusted.source(settings, settings.namespace(), slot);
    }

    /** Its settings with another namespace. */
    public RelaySettings withNamespace(String namespace) {
        return Adjusted.source(settings, new Namespace(namespace), settings.slot());
    }

    public Path catalog() {
        return catalog;
    }

    public String topic(String handler) {
        return settings.namespace().topic(handler);
    }

    public Connection connect() {
        try {
            return stack.postgres().connect(database);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Runs SQL in auto-commit. */
    public void sql(String sql) {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    /** One number. */
    public long number(String sql) {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    /** One column of text. */
    public List<String> column(String sql) {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<String> values = new ArrayList<>();
            while (rows.next()) {
                values.add(rows.getString(1));
            }
            return values;
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    /** Inserts rows in one statement, numbered from 1 in the payload, all with one key. */
    public void insert(int rows, String key) {
        sql(insertStatement(rows, key));
    }

    public static String insertStatement(int rows, String key) {
        return "INSERT INTO outbox.message (kind, type, schema_version, key, payload) SELECT 'integration-event', '"
                + TYPE + "', 1, '" + key + "', json_build_object('n', n) FROM generate_series(1, " + rows + ") n";
    }

    /** The ids of all messages, in order of insertion where one statement or one writer inserted them. */
    public List<UUID> ids() {
        return column("SELECT id FROM outbox.message ORDER BY staged_xid, ctid").stream()
                .map(UUID::fromString)
                .toList();
    }

    /** Everything committed on a handler's topic, partition by partition in order. */
    public List<ConsumerRecord<String, byte[]>> records(String handler) {
        return TopicReader.readCommitted(stack.kafka().bootstrapServers(), topic(handler));
    }

    /** The ids on a handler's topic. */
    public List<UUID> idsOn(String handler) {
        return records(handler).stream().map(TopicReader::id).toList();
    }

    public static void writeString(Path file, String text) {
        try {
            Files.createDirectories(file.getParent());
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
