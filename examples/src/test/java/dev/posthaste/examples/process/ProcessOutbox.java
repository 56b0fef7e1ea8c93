package dev.posthaste.examples.process;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.postgresql.PGConnection;

import dev.posthaste.relay.RelaySettings;
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

/**
 * An outbox of a test's own on the shared stack, initialised: database, namespace, slot, and a relay role with no more
 * rights than it needs. Its messages are numbered and have one key, so that each topic must show the numbers in order.
 * Used by one thread, but for {@link #insert} and {@link #sql}.
 */
final class ProcessOutbox {

    static final List<String> HANDLERS = List.of("due-notice", "statistics");

    /** In every payload; no log may show it. */
    static final String SECRET = "measles";

    static final String PASSWORD = "pass-of-the-relay";

    private static final Path CATALOG = Path.of("catalog").toAbsolutePath();
    private static final Duration SETTLE_TIMEOUT = Duration.ofSeconds(60);

    private final Stack stack;
    private final String database;

    private ProcessOutbox(Stack stack, String database) {
        this.stack = stack;
        this.database = database;
    }

    static ProcessOutbox initialised(Stack stack) {
        ProcessOutbox outbox = new ProcessOutbox(stack, stack.postgres().createDatabase("process"));
        try {
            new Initializer(outbox.settings(), step -> {})
                    .run(CatalogReader.read(CATALOG), new Initializer.Choices(3, Optional.empty(), false));
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        outbox.sql("CREATE ROLE " + outbox.role() + " LOGIN REPLICATION PASSWORD '" + PASSWORD
                + "' IN ROLE posthaste_relay");
        return outbox;
    }

    private RelaySettings settings() {
        return new RelaySettings(
                new Namespace(namespace()),
                slot(),
                "posthaste",
                new DatabaseSettings(
                        stack.postgres().host(),
                        stack.postgres().port(),
                        database,
                        stack.postgres().superuser(),
                        stack.postgres().password(),
                        "prefer"),
                new KafkaSettings(stack.kafka().bootstrapServers(), Map.of()),
                CATALOG,
                Duration.ofSeconds(3),
                new RelaySettings.Bounds(100, 8 << 20),
                new RelaySettings.Bounds(1_000, 64 << 20),
                Duration.ofMillis(5),
                Duration.ofSeconds(5),
                Duration.ofSeconds(10),
                Duration.ofSeconds(10),
                new RelaySettings.HttpSettings("127.0.0.1", 0));
    }

    String namespace() {
        return database.replace('_', '-');
    }

    String slot() {
        return database;
    }

    String role() {
        return database;
    }

    String bootstrapServers() {
        return stack.kafka().bootstrapServers();
    }

    /** What a relay process of this outbox is told, and more, which wins. */
    Map<String, String> environment(String... namesAndValues) {
        Map<String, String> environment = new HashMap<>(Map.of(
                "POSTHASTE_NAMESPACE", namespace(),
                "POSTHASTE_SLOT", slot(),
                "POSTHASTE_DATABASE_URL",
                        "postgresql://" + role() + "@" + stack.postgres().host() + ":"
                                + stack.postgres().port() + "/" + database,
                "POSTHASTE_DATABASE_PASSWORD", PASSWORD,
                "POSTHASTE_KAFKA_BOOTSTRAP_SERVERS", bootstrapServers(),
                "POSTHASTE_CATALOG", CATALOG.toString(),
                // Small batches, so that a kill finds a transaction half published.
                "POSTHASTE_BATCH_MESSAGES", "20"));
        for (int i = 0; i < namesAndValues.length; i += 2) {
            environment.put(namesAndValues[i], namesAndValues[i + 1]);
        }
        return environment;
    }

    /** Inserts the messages with these numbers in one statement. */
    void insert(int first, int last) {
        sql(insertStatement(first, last));
    }

    static String insertStatement(int first, int last) {
        return "INSERT INTO outbox.message (kind, type, schema_version, key, payload) SELECT 'integration-event',"
                + " 'library.loan-borrowed', 1, 'copy-1', json_build_object('n', n, 'diagnosis', '" + SECRET
                + "') FROM generate_series(" + first + ", " + last + ") n";
    }

    /** The same in one COPY. */
    void copy(int first, int last) {
        String rows = IntStream.rangeClosed(first, last)
                .mapToObj(n -> "integration-event\tlibrary.loan-borrowed\t1\tcopy-1\t{\"n\": " + n + "}\n")
                .collect(Collectors.joining());
        try (Connection connection = connect()) {
            long copied = connection
                    .unwrap(PGConnection.class)
                    .getCopyAPI()
                    .copyIn(
                            "COPY outbox.message (kind, type, schema_version, key, payload) FROM STDIN",
                            new StringReader(rows));
            assertThat(copied).isEqualTo(last - first + 1L);
        } catch (SQLException | IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A session of the superuser's in its database. */
    Connection connect() throws SQLException {
        return stack.postgres().connect(database);
    }

    void sql(String sql) {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    long number(String sql) {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    /** The first column of every row. */
    List<String> texts(String sql) {
        List<String> texts = new ArrayList<>();
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            while (row.next()) {
                texts.add(row.getString(1));
            }
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
        return texts;
    }

    /** Waits until something holds, looking every millisecond on one connection. */
    void awaitNumber(String sql, long atLeast) {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            await(sql)
                    .atMost(SETTLE_TIMEOUT)
                    .pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(1))
                    .until(() -> {
                        try (ResultSet row = statement.executeQuery(sql)) {
                            row.next();
                            return row.getLong(1) >= atLeast;
                        }
                    });
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    long batches() {
        return number("SELECT coalesce(max(batch), 0) FROM outbox.dispatch_batch");
    }

    void awaitBatchAfter(long batch) {
        awaitNumber("SELECT coalesce(max(batch), 0) FROM outbox.dispatch_batch", batch + 1);
    }

    /** Waits until every message has its evidence. */
    void awaitSettled() {
        await().atMost(SETTLE_TIMEOUT).until(() -> number("SELECT messages FROM outbox.pending_summary()") == 0);
    }

    /** The numbers on a handler's topic, in order. */
    List<Integer> numbersOn(String handler) {
        return TopicNumbers.read(bootstrapServers(), namespace() + "." + handler);
    }

    /** Every topic has the numbers from 1, in order, none twice. */
    void requireOnEveryTopic(int last) {
        List<Integer> all = IntStream.rangeClosed(1, last).boxed().toList();
        for (String handler : HANDLERS) {
            assertThat(numbersOn(handler)).as("on the topic of %s", handler).isEqualTo(all);
        }
    }

    /** How many copies are on a handler's topic that no reader of what is committed sees. */
    int uncommittedOn(String handler) {
        return TopicNumbers.readUncommitted(bootstrapServers(), namespace() + "." + handler)
                        .size()
                - numbersOn(handler).size();
    }

    /** How many messages have evidence. */
    long proved() {
        return number("SELECT coalesce(sum(cardinality(message_ids)), 0) FROM outbox.dispatch_batch");
    }

    /** The evidence has the numbers from 1, in the order of the topics, none twice, and nothing is pending. */
    void requireProvedOnce(int last) {
        List<Integer> proved = new ArrayList<>();
        String sql = "SELECT (m.payload ->> 'n')::int FROM outbox.dispatch_batch b,"
                + " unnest(b.message_ids) WITH ORDINALITY AS proved (id, place)"
                + " LEFT JOIN outbox.message m USING (id) ORDER BY b.batch, proved.place";
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            while (row.next()) {
                proved.add(row.getInt(1));
            }
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
        assertThat(proved)
                .as("proved, in the order of the batches")
                .isEqualTo(IntStream.rangeClosed(1, last).boxed().toList());
        assertThat(number("SELECT count(*) FROM outbox.pending()")).isZero();
    }

    Optional<Position> position() {
        return new PositionStore(settings().kafka(), settings().namespace(), slot(), Duration.ofSeconds(10)).read();
    }

    /** Up to where the slot has been told that the WAL is not needed any more. */
    Lsn confirmed() {
        return new Lsn(number(
                "SELECT confirmed_flush_lsn - '0/0' FROM pg_replication_slots WHERE slot_name = '" + slot() + "'"));
    }

    /** Of who led last. */
    long fence() {
        return number("SELECT fence FROM relay.lease WHERE slot = '" + slot() + "'");
    }

    /** The position is of the leader with that fence, and since it took over no older one settled a batch. */
    void requireNothingSettledByAnOlderLeader(long fence) {
        assertThat(number("SELECT count(*) FROM outbox.dispatch_batch b, relay.lease l"
                        + " WHERE b.fence < l.fence AND b.completed_at > l.acquired_at"))
                .as("batches that the old one settled after the takeover")
                .isZero();
        assertThat(position().orElseThrow().fence()).isEqualTo(fence);
    }

    /** Waits until the server knows of nobody who streams from the slot: it notices a closed connection by itself. */
    void awaitNoWalsender() {
        await().atMost(Duration.ofSeconds(10))
                .until(() -> number("SELECT count(*) FROM pg_replication_slots WHERE active AND slot_name = '" + slot()
                                        + "'")
                                + number("SELECT count(*) FROM pg_stat_activity WHERE usename = '" + role() + "'")
                        == 0);
    }

    /** Whether anybody may take the lease now, by the database's clock. */
    boolean leaseIsFree() {
        return number("SELECT count(*) FROM relay.lease WHERE slot = '" + slot()
                        + "' AND expires_at > clock_timestamp()")
                == 0;
    }
}
