package dev.posthaste.testkit;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;

import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.server.common.MetadataVersion;
import org.jspecify.annotations.Nullable;

/**
 * A Kafka broker of one node (KRaft, broker and controller) that runs in this JVM, on 127.0.0.1.
 *
 * <p>Thread-safe. It can be stopped and started again on the same data and port. When the JVM ends, its temporary
 * directory goes; when the JVM is killed, the next start removes it.
 */
public final class EmbeddedKafka implements KafkaBroker {

    private static final short TRANSACTION_VERSION = 2;
    private static final int NODE = 1;

    private final WorkDirectory work;
    private final ServerSettings settings;
    private final int port;
    private final int controllerPort;
    private final Thread atExit = new Thread(this::closeAtExit, "posthaste-testkit-kafka-exit");
    private @Nullable KafkaRaftServer server;
    private boolean closed;

    private EmbeddedKafka(WorkDirectory work, ServerSettings settings) {
        this.work = work;
        this.settings = settings;
        port = Ports.orFree(settings.port());
        controllerPort = Ports.free();
    }

    /**
     * Starts a broker with {@link ServerSettings#defaults()}.
     *
     * @throws TestkitException when it does not start
     */
    public static EmbeddedKafka launch() {
        return launch(ServerSettings.defaults());
    }

    /**
     * Starts a broker, on the data that its directory holds where there is some.
     *
     * @throws TestkitException when it does not start
     */
    public static EmbeddedKafka launch(ServerSettings settings) {
        EmbeddedKafka broker = new EmbeddedKafka(WorkDirectory.open("kafka", settings.directory()), settings);
        Runtime.getRuntime().addShutdownHook(broker.atExit);
        try {
            broker.format();
            broker.start();
            return broker;
        } catch (RuntimeException e) {
            broker.close();
            throw e;
        }
    }

    private void format() {
        if (Files.exists(logDirectory().resolve("meta.properties"))) {
            return; // it holds a broker's data, under a cluster id of its own
        }
        try {
            new Formatter()
                    .setNodeId(NODE)
                    .setClusterId(Uuid.randomUuid().toString())
                    .setReleaseVersion(MetadataVersion.LATEST_PRODUCTION)
                    .setFeatureLevel("transaction.version", TRANSACTION_VERSION)
                    .setControllerListenerName("CONTROLLER")
                    .addDirectory(logDirectory().toString())
                    .setMetadataLogDirectory(logDirectory().toString())
                    .setIgnoreFormatted(true)
                    .setPrintStream(new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8))
                    .run();
        } catch (Exception e) {
            throw new TestkitException("Kafka's log directory " + logDirectory() + " could not be formatted.", e);
        }
    }

    /**
     * Starts it again after {@link #stop}, on the same data and port.
     *
     * @throws IllegalStateException when it runs or is closed
     * @throws TestkitException when it does not start
     */
    public synchronized void start() {
        if (closed || server != null) {
            throw new IllegalStateException(this + (closed ? " is closed." : " runs already."));
        }
        KafkaRaftServer starting = new KafkaRaftServer(new KafkaConfig(properties(), false), Time.SYSTEM);
        server = starting;
        try {
            starting.startup();
        } catch (RuntimeException e) {
            throw new TestkitException(this + " could not be started.", e);
        }
    }

    private Map<Object, Object> properties() {
        Properties all = new Properties();
        all.putAll(KafkaOptions.with(settings.options()));
        all.put("process.roles", "broker,controller");
        all.put("node.id", Integer.toString(NODE));
        all.put("controller.quorum.voters", NODE + "@127.0.0.1:" + controllerPort);
        all.put("controller.listener.names", "CONTROLLER");
        all.put("inter.broker.listener.name", "PLAINTEXT");
        all.put("listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT");
        all.put("listeners", "PLAINTEXT://" + bootstrapServers() + ",CONTROLLER://127.0.0.1:" + controllerPort);
        all.put("advertised.listeners", "PLAINTEXT://" + bootstrapServers());
        all.put("log.dirs", logDirectory().toString());
        return all;
    }

    /** Stops the broker and keeps its data. Does nothing when it does not run. */
    public synchronized void stop() {
        if (server != null) {
            server.shutdown();
            server.awaitShutdown();
            server = null;
        }
    }

    /** The port clients connect to. */
    public int port() {
        return port;
    }

    /** The directory with the partitions' logs. */
    public Path logDirectory() {
        return work.path().resolve("log");
    }

    Path directory() {
        return work.path();
    }

    @Override
    public String bootstrapServers() {
        return "127.0.0.1:" + port;
    }

    @Override
    public void close() {
        ExitHooks.remove(atExit);
        closeAtExit();
    }

    private synchronized void closeAtExit() {
        closed = true;
        try {
            stop();
        } finally {
            work.close();
        }
    }

    @Override
    public String toString() {
        return "Kafka on " + bootstrapServers() + " in " + logDirectory();
    }
}
