package dev.posthaste.chaos.world;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

import org.jspecify.annotations.Nullable;

import dev.posthaste.testkit.EmbeddedPostgres;
import dev.posthaste.testkit.ServerSettings;
import dev.posthaste.testkit.TestkitException;
import dev.posthaste.testkit.faults.BrokerProcess;

/**
 * The servers of a run, each a process of its own with its own data: PostgreSQL for the outbox, another one for the
 * inbox, so that one can be away without the other, and a broker. Used by one thread.
 */
public final class Servers implements AutoCloseable {

    /** A server that a client cannot reach is noticed soon, and dead sessions end. */
    private static final Map<String, String> POSTGRES = Map.of(
            "wal_sender_timeout", "10s",
            "tcp_keepalives_idle", "5",
            "tcp_keepalives_interval", "2",
            "tcp_keepalives_count", "3",
            "tcp_user_timeout", "10s",
            "max_wal_size", "512MB");

    private static final int OUTBOX_DISK_MEGABYTES = 900;
    private static final int BROKER_DISK_MEGABYTES = 300;

    private final @Nullable SmallDisk outboxDisk;
    private final @Nullable SmallDisk brokerDisk;
    private final EmbeddedPostgres inbox;
    private final BrokerProcess broker;
    private EmbeddedPostgres outbox;
    private @Nullable EmbeddedPostgres standby;
    private @Nullable EmbeddedPostgres former;

    private Servers(
            @Nullable SmallDisk outboxDisk,
            @Nullable SmallDisk brokerDisk,
            EmbeddedPostgres outbox,
            EmbeddedPostgres inbox,
            BrokerProcess broker) {
        this.outboxDisk = outboxDisk;
        this.brokerDisk = brokerDisk;
        this.outbox = outbox;
        this.inbox = inbox;
        this.broker = broker;
    }

    /**
     * Starts all of them, side by side.
     *
     * @param smallDisks whether the outbox's server and the broker have disks that can be filled
     */
    static Servers start(Path directory, boolean smallDisks) throws IOException {
        SmallDisk outboxDisk = smallDisks ? SmallDisk.mount(directory.resolve("outbox"), OUTBOX_DISK_MEGABYTES) : null;
        SmallDisk brokerDisk = smallDisks ? SmallDisk.mount(directory.resolve("broker"), BROKER_DISK_MEGABYTES) : null;
        FutureTask<EmbeddedPostgres> outbox = launching("chaos-outbox", outboxDisk);
        FutureTask<EmbeddedPostgres> inbox = launching("chaos-inbox", null);
        BrokerProcess broker = BrokerProcess.start(brokerDisk == null ? directory : brokerDisk.path());
        return new Servers(outboxDisk, brokerDisk, await(outbox), await(inbox), broker);
    }

    private static FutureTask<EmbeddedPostgres> launching(String name, @Nullable SmallDisk disk) {
        ServerSettings usual = ServerSettings.defaults().withOptions(POSTGRES);
        ServerSettings settings =
                disk == null ? usual : usual.withDirectory(disk.path().resolve("server"));
        FutureTask<EmbeddedPostgres> launching = new FutureTask<>(() -> EmbeddedPostgres.launch(settings));
        new Thread(launching, name).start();
        return launching;
    }

    private static EmbeddedPostgres await(FutureTask<EmbeddedPostgres> launching) {
        try {
            return launching.get();
        } catch (ExecutionException e) {
            throw new TestkitException("PostgreSQL did not start: " + e.getCause(), e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TestkitException("Interrupted while PostgreSQL was starting.", e);
        }
    }

    /** PostgreSQL with the outbox; after a failover, the promoted one. */
    public EmbeddedPostgres outbox() {
        return outbox;
    }

    /** PostgreSQL with the inbox. */
    public EmbeddedPostgres inbox() {
        return inbox;
    }

    /** The broker. */
    public BrokerProcess broker() {
        return broker;
    }

    /** Starts a standby of the outbox's server. */
    public EmbeddedPostgres launchStandby(String name) {
        standby = outbox.launchStandby(name);
        return standby;
    }

    /** The primary dies, and the standby takes its place. */
    public void failOver() {
        if (standby == null) {
            throw new IllegalStateException("there is no standby; launch one first");
        }
        if (outbox.isRunning()) {
            outbox.killHard();
        }
        standby.promote();
        former = outbox;
        outbox = standby;
        standby = null;
    }

    /** SIGKILL to the primary; {@link #failOver} follows. */
    public void killPrimary() {
        outbox.killHard();
    }

    /** A session on the standby that copies slots. */
    public SlotSync slotSync() throws SQLException {
        if (standby == null) {
            throw new IllegalStateException("there is no standby; launch one first");
        }
        return new SlotSync(standby.connect("postgres"));
    }

    /** The outbox's disk; there is one only with small disks. */
    public SmallDisk outboxDisk() {
        return required(outboxDisk);
    }

    /** The broker's disk; there is one only with small disks. */
    public SmallDisk brokerDisk() {
        return required(brokerDisk);
    }

    private static SmallDisk required(@Nullable SmallDisk disk) {
        if (disk == null) {
            throw new IllegalStateException("this scenario's setup has no small disks");
        }
        return disk;
    }

    /** Whether nothing can be committed on the outbox's server for want of room. */
    public boolean isOutboxFull() {
        try (Connection connection = outbox.connect("postgres");
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE fills AS SELECT repeat('x', 1000) FROM generate_series(1, 20000)");
            statement.execute("DROP TABLE fills");
            return false;
        } catch (SQLException e) {
            return true; // no room, or the server has ended for that
        }
    }

    /** Runs SQL as the superuser on the outbox's server. */
    public void sql(String database, String... statements) throws SQLException {
        sql(outbox, database, statements);
    }

    static void sql(EmbeddedPostgres server, String database, String... statements) throws SQLException {
        try (Connection connection = server.connect(database);
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    @Override
    public void close() {
        broker.close();
        for (EmbeddedPostgres server : new @Nullable EmbeddedPostgres[] {standby, former, outbox, inbox}) {
            if (server != null) {
                server.close();
            }
        }
        for (SmallDisk disk : new @Nullable SmallDisk[] {outboxDisk, brokerDisk}) {
            if (disk != null) {
                unmount(disk);
            }
        }
    }

    private static void unmount(SmallDisk disk) {
        try {
            disk.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
