package dev.posthaste.chaos.world;

import java.io.IOException;
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
import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

import dev.posthaste.chaos.collect.RunSources;
import dev.posthaste.chaos.consumer.Provider;
import dev.posthaste.chaos.history.HistoryWriter;
import dev.posthaste.chaos.load.ChaosCatalog;
import dev.posthaste.chaos.load.LoadSchema;
import dev.posthaste.relay.RelaySettings;
import dev.posthaste.relay.publishing.KafkaSettings;
import dev.posthaste.relay.setup.Initializer;
import dev.posthaste.relay.setup.TableSetup;
import dev.posthaste.relay.source.DatabaseSettings;
import dev.posthaste.schemas.Namespace;
import dev.posthaste.schemas.catalog.CatalogReader;
import dev.posthaste.testkit.EmbeddedPostgres;
import dev.posthaste.testkit.faults.StoreLink;

/**
 * Everything a scenario runs on: the servers, a link from each process to each store, and the processes. Used by one
 * thread.
 */
public final class World implements AutoCloseable {

    /** The topics' first part. */
    public static final String NAMESPACE = "chaos";

    /** The replication slot. */
    public static final String SLOT = "posthaste_chaos";

    /** The database of the outbox, on its server. */
    public static final String OUTBOX = "outbox";

    /** The database of the inbox, on its server. */
    public static final String INBOX = "inbox";

    static final String PASSWORD = "chaos";
    private static final int PARTITIONS = 4;

    private final Path directory;
    private final Path catalog;
    private final Setup setup;
    private final Servers servers;
    private final Provider provider;
    private final HistoryWriter calls;
    private final List<RelayNode> relays = new ArrayList<>();
    private final List<ProcessNode> consumers = new ArrayList<>();
    private final Links links;
    private final Processes processes;
    private final ProcessNode load;

    private World(Path directory, Setup setup, Servers servers) throws IOException {
        this.directory = directory;
        this.setup = setup;
        this.servers = servers;
        this.catalog = Files.createDirectories(directory.resolve("catalog"));
        ChaosCatalog.writeTo(catalog, setup.handlers());
        this.calls = HistoryWriter.open(directory.resolve("calls.jsonl"));
        this.provider = Provider.start(calls);
        this.links = new Links(servers);
        this.processes = new Processes(directory, catalog, setup, servers, provider, links);
        this.load = processes.load();
        for (int i = 1; i <= setup.relays(); i++) {
            relays.add(processes.relay("relay-" + i, Map.of()));
        }
        for (int i = 1; i <= setup.consumers(); i++) {
            consumers.add(processes.consumer("consumer-" + i, 0));
        }
    }

    /** Starts the servers and makes what is needed in them; starts no process under test. */
    public static World prepare(Path directory, Setup setup) throws Exception {
        Servers servers = Servers.start(directory, setup.smallDisks());
        try {
            World world = new World(directory, setup, servers);
            world.initialise();
            return world;
        } catch (Exception | Error e) {
            servers.close();
            throw e;
        }
    }

    private void initialise() throws Exception {
        Servers.sql(servers.outbox(), "postgres", "CREATE DATABASE " + OUTBOX);
        Servers.sql(servers.inbox(), "postgres", "CREATE DATABASE " + INBOX);
        new Initializer(settings(), step -> {})
                .run(CatalogReader.read(catalog), new Initializer.Choices(PARTITIONS, Optional.empty(), false));
        new TableSetup(superuser(servers.inbox(), INBOX)).migrateInbox();
        Servers.sql(
                servers.outbox(),
                OUTBOX,
                "CREATE ROLE relay LOGIN REPLICATION PASSWORD '" + PASSWORD + "' IN ROLE posthaste_relay",
                "CREATE ROLE load LOGIN PASSWORD '" + PASSWORD + "' IN ROLE posthaste_writer");
        Servers.sql(
                servers.inbox(),
                INBOX,
                "CREATE ROLE consumer LOGIN PASSWORD '" + PASSWORD + "' IN ROLE posthaste_consumer");
        LoadSchema.createCounters(outbox());
        LoadSchema.createEffects(inbox());
    }

    private static DatabaseSettings superuser(EmbeddedPostgres server, String database) {
        return new DatabaseSettings(
                server.host(), server.port(), database, server.superuser(), server.password(), "prefer");
    }

    /** What a relay is told, but as the superuser and past every link. */
    public RelaySettings settings() {
        return new RelaySettings(
                new Namespace(NAMESPACE),
                SLOT,
                "posthaste",
                superuser(servers.outbox(), OUTBOX),
                new KafkaSettings(servers.broker().bootstrapServers(), Map.of()),
                catalog,
                Duration.ofSeconds(3),
                new RelaySettings.Bounds(50, 8 << 20),
                new RelaySettings.Bounds(1_000, 64 << 20),
                Duration.ofMillis(5),
                Duration.ofSeconds(5),
                Duration.ofSeconds(10),
                Duration.ofSeconds(10),
                new RelaySettings.HttpSettings("127.0.0.1", 0));
    }

    /** How it was set up. */
    public Setup setup() {
        return setup;
    }

    /** Where its history and logs are. */
    public Path directory() {
        return directory;
    }

    /** The servers. */
    public Servers servers() {
        return servers;
    }

    /** The provider that the leased handler calls. */
    public Provider provider() {
        return provider;
    }

    /** The load generator. */
    public ProcessNode load() {
        return load;
    }

    /** The relays, running or not. */
    public List<RelayNode> relays() {
        return relays;
    }

    /** The consumers, running or not. */
    public List<ProcessNode> consumers() {
        return consumers;
    }

    /** Another relay with further variables in its environment, not started yet. */
    public RelayNode addRelay(String name, Map<String, String> further) throws IOException {
        RelayNode relay = processes.relay(name, further);
        relays.add(relay);
        return relay;
    }

    /** Another relay, in a network of its own, not started yet. */
    public RelayNode addRelayInOwnNetwork(String name) throws IOException {
        RelayNode relay = processes.relayIn(OwnNetwork.next(), name);
        relays.add(relay);
        return relay;
    }

    /** Stops the consumers and starts others in their place, which cannot bear that share of the messages. */
    public void remakeConsumers(double poisonShare) throws InterruptedException {
        List<ProcessNode> former = List.copyOf(consumers);
        consumers.clear();
        for (ProcessNode node : former) {
            node.terminate();
            ProcessNode other = processes.consumer(node.name() + "x", poisonShare);
            consumers.add(other);
            other.start();
        }
    }

    /** Leaves a relay that is dead out of everything that follows. */
    public void removeRelay(RelayNode relay) {
        relays.remove(relay);
    }

    /** A command of {@code posthaste} as the superuser, past every link; not started yet. */
    public ProcessNode command(String name, List<String> arguments) {
        return processes.command(name, arguments);
    }

    /** A process that works on the inbox, past every link; not started yet. */
    public ProcessNode onInbox(String name, Class<?> main, List<String> arguments) {
        return processes.onInbox(name, main, arguments);
    }

    /** The relay that leads and streams; null for none. */
    public @Nullable RelayNode leader() {
        return relays.stream()
                .filter(RelayNode::isAlive)
                .filter(RelayNode::isStreaming)
                .findFirst()
                .orElse(null);
    }

    /** The link of a process to PostgreSQL: a relay's or the load's to the outbox, a consumer's to the inbox. */
    public StoreLink toPostgres(ProcessNode node) {
        return links.existing(node.name(), consumers.contains(node) ? Links.INBOX : Links.OUTBOX);
    }

    /**
     * The link of a process to Kafka.
     *
     * @throws IllegalArgumentException for the load, which has none
     */
    public StoreLink toKafka(ProcessNode node) {
        return links.existing(node.name(), Links.KAFKA);
    }

    /** Every link there is. */
    public List<StoreLink> links() {
        return links.all();
    }

    /** All processes now reach the outbox on the server that has it by now. */
    public void followTheOutbox() {
        links.followTheOutbox();
    }

    /** The outbox's database on the server that has it by now, as the superuser, past every link. */
    public DataSource outbox() {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(Processes.jdbcUrl(links.own().port(), OUTBOX));
        source.setUser(servers.outbox().superuser());
        source.setPassword(servers.outbox().password());
        return source;
    }

    /** Where everything of the run is read. */
    public RunSources sources() {
        return new RunSources(outbox(), inbox(), bootstrapServers(), new Namespace(NAMESPACE), setup.handlers());
    }

    /** The inbox's database, as the superuser, past every link. */
    public DataSource inbox() {
        return servers.inbox().dataSource(INBOX);
    }

    /** The broker's address, past every link. */
    public String bootstrapServers() {
        return servers.broker().bootstrapServers();
    }

    /** Up to where the slot has been told that the WAL is not needed; null where there is no slot. */
    public @Nullable String confirmedLsn() throws SQLException {
        try (Connection connection = outbox().getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT confirmed_flush_lsn FROM pg_replication_slots WHERE slot_name = '" + SLOT + "'")) {
            return row.next() ? row.getString(1) : null;
        }
    }

    /** The fence of who led last. */
    public long leaseFence() throws SQLException {
        return outboxNumber("SELECT coalesce(max(fence), 0) FROM relay.lease WHERE slot = '" + SLOT + "'");
    }

    /** A number from the outbox's database, asked as the superuser. */
    public long outboxNumber(String sql) throws SQLException {
        return number(servers.outbox(), OUTBOX, sql);
    }

    /** A number from the inbox's database, asked as the superuser. */
    public long inboxNumber(String sql) throws SQLException {
        return number(servers.inbox(), INBOX, sql);
    }

    private static long number(EmbeddedPostgres server, String database, String sql) throws SQLException {
        try (Connection connection = server.connect(database);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }

    @Override
    public void close() {
        load.close();
        relays.forEach(ProcessNode::close);
        consumers.forEach(ProcessNode::close);
        links.close();
        provider.close();
        calls.close();
        servers.close();
    }
}
