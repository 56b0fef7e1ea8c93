package dev.posthaste.chaos.world;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import dev.posthaste.chaos.consumer.ConsumerProcess;
import dev.posthaste.chaos.consumer.Provider;
import dev.posthaste.chaos.load.LoadProcess;
import dev.posthaste.relay.cli.Posthaste;
import dev.posthaste.testkit.EmbeddedPostgres;

/** Makes the processes of a world, none of them started: what each is told, and by which ways it goes. */
final class Processes {

    private static final int LARGE_BYTES = 2_000_000;
    private static final int HUGE_HEAP_FROM = 100_000;

    private final Path directory;
    private final Path catalog;
    private final Setup setup;
    private final Servers servers;
    private final Provider provider;
    private final Links links;

    Processes(Path directory, Path catalog, Setup setup, Servers servers, Provider provider, Links links) {
        this.directory = directory;
        this.catalog = catalog;
        this.setup = setup;
        this.servers = servers;
        this.provider = provider;
        this.links = links;
    }

    RelayNode relay(String name, Map<String, String> further) throws IOException {
        return relay(name, further, null);
    }

    RelayNode relayIn(OwnNetwork network, String name) throws IOException {
        return relay(name, Map.of("POSTHASTE_HTTP_HOST", network.address()), network);
    }

    private RelayNode relay(String name, Map<String, String> further, @Nullable OwnNetwork network) throws IOException {
        int port = FreePort.find();
        Map<String, String> environment = new HashMap<>(Map.of(
                "POSTHASTE_NAMESPACE",
                World.NAMESPACE,
                "POSTHASTE_SLOT",
                World.SLOT,
                "POSTHASTE_DATABASE_URL",
                "postgresql://relay@127.0.0.1:" + links.of(name, Links.OUTBOX).port() + "/" + World.OUTBOX,
                "POSTHASTE_DATABASE_PASSWORD",
                World.PASSWORD,
                "POSTHASTE_KAFKA_BOOTSTRAP_SERVERS",
                links.of(name, Links.KAFKA).address(),
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
                new ProcessNode.Launch(
                        Posthaste.class, List.of("relay"), environment, List.of(), setup.patches(), network),
                port);
    }

    ProcessNode consumer(String name, double poisonShare) {
        Map<String, String> environment = new HashMap<>(Map.of(
                "CHAOS_INBOX_URL", jdbcUrl(links.of(name, Links.INBOX).port(), World.INBOX),
                "CHAOS_INBOX_USER", "consumer",
                "CHAOS_INBOX_PASSWORD", World.PASSWORD,
                "CHAOS_NAMESPACE", World.NAMESPACE,
                "CHAOS_BOOTSTRAP_SERVERS", links.of(name, Links.KAFKA).address(),
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

    ProcessNode load() {
        return new ProcessNode(
                "load",
                directory,
                new ProcessNode.Launch(
                        LoadProcess.class, List.of(), loadEnvironment(), List.of(loadHeap()), List.of()));
    }

    /** It has a whole transaction in memory, until it is written down. */
    private String loadHeap() {
        return setup.load().huge() < HUGE_HEAP_FROM ? "-Xmx128m" : "-Xmx3g";
    }

    private Map<String, String> loadEnvironment() {
        Setup.Load wanted = setup.load();
        Map<String, String> environment = new HashMap<>();
        environment.put("CHAOS_JDBC_URL", jdbcUrl(links.of("load", Links.OUTBOX).port(), World.OUTBOX));
        environment.put("CHAOS_USER", "load");
        environment.put("CHAOS_PASSWORD", World.PASSWORD);
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

    /** As the superuser, past every link. */
    ProcessNode command(String name, List<String> arguments) {
        EmbeddedPostgres server = servers.outbox();
        Map<String, String> environment = Map.of(
                "POSTHASTE_NAMESPACE",
                World.NAMESPACE,
                "POSTHASTE_SLOT",
                World.SLOT,
                "POSTHASTE_DATABASE_URL",
                "postgresql://" + server.superuser() + "@" + server.host() + ":" + server.port() + "/" + World.OUTBOX,
                "POSTHASTE_DATABASE_PASSWORD",
                server.password(),
                "POSTHASTE_KAFKA_BOOTSTRAP_SERVERS",
                servers.broker().bootstrapServers(),
                "POSTHASTE_CATALOG",
                catalog.toString());
        return new ProcessNode(
                name,
                directory,
                new ProcessNode.Launch(Posthaste.class, arguments, environment, List.of(), setup.patches()));
    }

    /** Past every link. */
    ProcessNode onInbox(String name, Class<?> main, List<String> arguments) {
        Map<String, String> environment = Map.of(
                "CHAOS_INBOX_URL",
                jdbcUrl(servers.inbox().port(), World.INBOX),
                "CHAOS_INBOX_USER",
                "consumer",
                "CHAOS_INBOX_PASSWORD",
                World.PASSWORD);
        return new ProcessNode(
                name,
                directory,
                new ProcessNode.Launch(main, arguments, environment, List.of("-Xmx96m"), setup.patches()));
    }

    static String jdbcUrl(int port, String database) {
        return "jdbc:postgresql://127.0.0.1:" + port + "/" + database;
    }
}
