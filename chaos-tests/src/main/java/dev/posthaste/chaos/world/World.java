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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

import dev.posthaste.chaos.collect.RunSources;
import dev.posthaste.chaos.consumer.ConsumerProcess;
import dev.posthaste.chaos.consumer.Provider;
import dev.posthaste.chaos.history.HistoryWriter;
import dev.posthaste.chaos.load.ChaosCatalog;
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

    private static final String PASSWORD = "chaos";
    private static final int PARTITIONS = 4;
    private static final int LARGE_BYTES = 2_000_000;
    private static final int HUGE_HEAP_FROM = 100_000;

    private final Path directory;
    private final Path catalog;
    private final Setup setup;
    private final Servers servers;
    private final Provider provider;
    private final HistoryWriter calls;
    private final List<RelayNode> relays = new ArrayList<>();
    private final List<ProcessNode> consumers = new ArrayList<>();
    private final Map<String, StoreLink> links = new HashMap<>();
    private final ProcessNode load;

    /** The supervisor's own way to the outbox; no script breaks it. */
    private final StoreLink own;

    private World(Path directory, Setup setup, Servers servers) throws IOException {
        this.directory = directory;
        this.setup = setup;
        this.servers = servers;
        this.own =
                StoreLink.toPostgres(servers.outbox().host(), servers.outbox().port());
        this.catalog = Files.createDirectories(directory.resolve("catalog"));
        ChaosCatalog.writeTo(catalog, setup.handlers());
        this.calls = HistoryWriter.open(directory.resolve("calls.jsonl"));
        this.provider = Provider.start(calls);
        this.load = new ProcessNode(
                "load",
                directory,
                new ProcessNode.Launch(
                        LoadProcess.class, List.of(), loadEnvironment(), List.of(loadHeap()), List.of()));
        for (int i = 1; i <= setup.relays(); i++) {
            relays.add(relayNode("relay-" + i, Map.of()));
        }
        for (int i = 1; i <= setup.consumers(); i++) {
            consumers.add(consumerNode("consumer-" + i, 0));
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

    private StoreLink link(String from, String to) {
        return links.computeIfAbsent(from + " to " + to, name -> switch (to) {
            case "outbox" ->
                StoreLink.toPostgres(servers.outbox().host(), servers.outbox().port());
            case "inbox" ->
                StoreLink.toPostgres(servers.inbox().host(), servers.inbox().port());
            default -> StoreLink.toKafka(servers.broker().bootstrapServers());
        });
    }

    private RelayNode relayNode(String name, Map<String, String> further) throws IOException {
        int port = FreePort.find();
        Map<String, String> environment = new HashMap<>(Map.of(
                "POSTHASTE_NAMESPACE",
                NAMESPACE,
                "POSTHASTE_SLOT",
                SLOT,
                "POSTHASTE_DATABASE_URL",
                "postgresql://relay@127.0.0.1:" + link(name, "outbox").port() + "/" + OUTBOX,
                "POSTHASTE_DATABASE_PASSWORD",
                PASSWORD,
                "POSTHASTE_KAFKA_BOOTSTRAP_SERVERS",
                link(name, "kafka").address(),
                "POSTHASTE_CATALOG",
                catalog.toString(),
                // Small batches, so that a fault finds a batch in the making.
                "POSTHASTE_BATCH_MESSAGES",
                "50",
                "POSTHASTE_HTTP_PORT",
                Integer.toString(port)));
        environment.putAll(setup.relayEnvironment());
        environment.putAll(further);
        return new RelayNode(
                name,
                directory,
                new ProcessNode.Launch(Posthaste.class, List.of("relay"), environment, List.of(), setup.patches()),
                port);
    }

    private ProcessNode consumerNode(String name, double poisonShare) {
        Map<String, String> environment = new HashMap<>(Map.of(
                "CHAOS_INBOX_URL", jdbcUrl(link(name, "inbox").port(), INBOX),
                "CHAOS_INBOX_USER", "consumer",
                "CHAOS_INBOX_PASSWORD", PASSWORD,
                "CHAOS_NAMESPACE", NAMESPACE,
                "CHAOS_BOOTSTRAP_SERVERS", link(name, "kafka").address(),
                "CHAOS_PROVIDER_URL", provider.url().toString(),
                "CHAOS_FAIL_SHARE", Double.toString(setup.failShare()),
                "CHAOS_POISON_SHARE", Double.toString(poisonShare),
                "CHAOS_SEED", Long.toString(setup.seed())));
        environment.put("CHAOS_HANDLERS", String.join(",", setup.handlers()));
        return new ProcessNode(
                name,
                directory,
                new ProcessNode.Launch(
                        ConsumerProcess.class, List.of(), environment, List.of("-Xmx160m"), setup.patches()));
    }

    /** It has a whole transaction in memory, until it is written down. */
    private String loadHeap() {
        return setup.load().huge() < HUGE_HEAP_FROM ? "-Xmx128m" : "-Xmx3g";
    }

    private Map<String, String> loadEnvironment() {
        Setup.Load wanted = setup.load();
        Map<String, String> environment = new HashMap<>();
        environment.put("CHAOS_JDBC_URL", jdbcUrl(link("load", "outbox").port(), OUTBOX));
        environment.put("CHAOS_USER", "load");
        environment.put("CHAOS_PASSWORD", PASSWORD);
        environment.put("CHAOS_HISTORY", directory.resolve("load.jsonl").toString());
        environment.put("CHAOS_SEED", Long.toString(setup.seed()));
        environment.put("CHAOS_RATE", Integer.toString(wanted.rate()));
        environment.put("CHAOS_KEYS", Integer.toString(wanted.keys()));
        environment.put("CHAOS_ROLLBACK_SHARE", "0.1");
        environment.put("CHAOS_SAVEPOINT_SHARE", "0.05");
        environment.put("CHAOS_REFUSED_SHARE", Double.toString(wanted.refusedShare()));
        environment.put("CHAOS_LARGE_SHARE", Double.toString(wanted.largeShare()));
        environment.put("CHAOS_LARGE_BYTES", Integer.toString(LARGE_BYTES));
        environment.put("CHAOS_HUGE", Integer.toString(wanted.huge()));
        return environment;
    }

    private static String jdbcUrl(int port, String database) {
        return "jdbc:postgresql://127.0.0.1:" + port + "/" + database;
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
        RelayNode relay = relayNode(name, further);
        relays.add(relay);
        return relay;
    }

    /** Stops the consumers and starts others in their place, which cannot bear that share of the messages. */
    public void remakeConsumers(double poisonShare) throws InterruptedException {
        List<ProcessNode> former = List.copyOf(consumers);
        consumers.clear();
        for (ProcessNode node : former) {
            node.terminate();
            ProcessNode other = consumerNode(node.name() + "x", poisonShare);
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
        EmbeddedPostgres server = servers.outbox();
        Map<String, String> environment = Map.of(
                "POSTHASTE_NAMESPACE",
                NAMESPACE,
                "POSTHASTE_SLOT",
                SLOT,
                "POSTHASTE_DATABASE_URL",
                "postgresql://" + server.superuser() + "@" + server.host() + ":" + server.port() + "/" + OUTBOX,
                "POSTHASTE_DATABASE_PASSWORD",
                server.password(),
                "POSTHASTE_KAFKA_BOOTSTRAP_SERVERS",
                bootstrapServers(),
                "POSTHASTE_CATALOG",
                catalog.toString());
        return new ProcessNode(
                name,
                directory,
                new ProcessNode.Launch(Posthaste.class, arguments, environment, List.of(), setup.patches()));
    }

    /** A process that works on the inbox, past every link; not started yet. */
    public ProcessNode onInbox(String name, Class<?> main, List<String> arguments) {
        Map<String, String> environment = Map.of(
                "CHAOS_INBOX_URL",
                jdbcUrl(servers.inbox().port(), INBOX),
                "CHAOS_INBOX_USER",
                "consumer",
                "CHAOS_INBOX_PASSWORD",
                PASSWORD);
        return new ProcessNode(
                name,
                directory,
                new ProcessNode.Launch(main, arguments, environment, List.of("-Xmx96m"), setup.patches()));
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
        return existing(node, consumers.contains(node) ? "inbox" : "outbox");
    }

    /**
     * The link of a process to Kafka.
     *
     * @throws IllegalArgumentException for the load, which has none
     */
    public StoreLink toKafka(ProcessNode node) {
        return existing(node, "kafka");
    }

    /** One that nobody uses would be broken in name only. */
    private StoreLink existing(ProcessNode node, String to) {
        StoreLink link = links.get(node.name() + " to " + to);
        if (link == null) {
            throw new IllegalArgumentException(
                    node.name() + " has no way to " + to + "; ways there are: " + new TreeSet<>(links.keySet()));
        }
        return link;
    }

    /** Every link there is. */
    public List<StoreLink> links() {
        return List.copyOf(links.values());
    }

    /** All processes now reach the outbox on the server that has it by now. */
    public void followTheOutbox() {
        own.redirect(servers.outbox().port());
        links.forEach((name, link) -> {
            if (name.endsWith(" to outbox")) {
                link.redirect(servers.outbox().port());
            }
        });
    }

    /** The outbox's database on the server that has it by now, as the superuser, past every link. */
    public DataSource outbox() {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(jdbcUrl(own.port(), OUTBOX));
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
        links.values().forEach(StoreLink::close);
        own.close();
        provider.close();
        calls.close();
        servers.close();
    }
}
