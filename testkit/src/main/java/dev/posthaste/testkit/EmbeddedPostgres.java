package dev.posthaste.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * A PostgreSQL that runs as a child process of this JVM, on 127.0.0.1, with fsync on.
 *
 * <p>Thread-safe. It can be stopped, killed and started again on the same data and port. When the JVM ends, the server
 * ends and its temporary directory goes; when the JVM is killed, the server ends and the next start removes the
 * directory.
 */
public final class EmbeddedPostgres implements PostgresServer {

    private static final long START_SECONDS_MAX = 60;
    private static final long POLL_MILLIS = 10;
    private static final int LOG_TAIL_LINES = 20;

    private final WorkDirectory work;
    private final ServerSettings settings;
    private final int port;
    private final PostgresCluster cluster;
    private final Thread atExit = new Thread(this::closeAtExit, "posthaste-testkit-postgres-exit");
    private @Nullable Process process;
    private @Nullable Watchdog watchdog;
    private boolean closed;

    private EmbeddedPostgres(WorkDirectory work, ServerSettings settings) {
        this.work = work;
        this.settings = settings;
        port = Ports.orFree(settings.port());
        cluster = PostgresCluster.open(work.path());
    }

    /**
     * Starts a server with {@link ServerSettings#defaults()}.
     *
     * @throws TestkitException when it does not start
     */
    public static EmbeddedPostgres launch() {
        return launch(ServerSettings.defaults());
    }

    /**
     * Starts a server, on the data that its directory holds where there is some.
     *
     * @throws TestkitException when it does not start
     */
    public static EmbeddedPostgres launch(ServerSettings settings) {
        return launch(WorkDirectory.open("postgres", settings.directory()), settings);
    }

    private static EmbeddedPostgres launch(WorkDirectory work, ServerSettings settings) {
        try {
            EmbeddedPostgres server = new EmbeddedPostgres(work, settings);
            Runtime.getRuntime().addShutdownHook(server.atExit);
            try {
                server.start();
                return server;
            } catch (RuntimeException e) {
                server.close();
                throw e;
            }
        } catch (RuntimeException e) {
            work.close();
            throw e;
        }
    }

    /**
     * Starts it again after {@link #stop} or {@link #killHard}, on the same data and port.
     *
     * @throws IllegalStateException when it runs or is closed
     * @throws TestkitException when it does not start, or does not run with fsync on, synchronous_commit on and
     *     wal_level logical
     */
    public synchronized void start() {
        if (closed || isRunning()) {
            throw new IllegalStateException(this + (closed ? " is closed." : " runs already."));
        }
        try {
            cluster.writeOptions(port, settings.options());
            Process started = cluster.server()
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()))
                    .start();
            process = started;
            watchdog = Watchdog.over(started.pid());
            awaitReady(started);
        } catch (IOException e) {
            throw new TestkitException(this + " could not be started.", e);
        }
        PostgresOptions.verify(this);
    }

    private void awaitReady(Process started) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS_MAX);
        PostmasterFile file = PostmasterFile.in(data());
        try {
            while (!file.isReady(started.pid())) {
                boolean ended = started.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS);
                if (ended || System.nanoTime() > deadline) {
                    String how = ended ? " ended at its start" : " is not ready after " + START_SECONDS_MAX + " s";
                    throw new TestkitException(this + how + ":\n" + logTail(), null);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TestkitException("Interrupted while " + this + " was starting.", e);
        }
    }

    /**
     * Stops the server and keeps its data. Does nothing when it does not run.
     *
     * @throws TestkitException when it has not ended within 60 s, as with {@link StopMode#SMART} while clients are
     *     there
     */
    public synchronized void stop(StopMode mode) {
        if (process == null) {
            return;
        }
        if (process.isAlive()) {
            Shell.signal(mode.signal(), process.pid());
            try {
                if (!process.waitFor(START_SECONDS_MAX, TimeUnit.SECONDS)) {
                    throw new TestkitException(
                            this + " has not ended " + START_SECONDS_MAX + " s after a stop in mode " + mode
                                    + ". Close its clients, or use FAST.",
                            null);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new TestkitException("Interrupted while " + this + " was stopping.", e);
            }
        }
        forget();
    }

    /** Ends the postmaster and all its children by SIGKILL, as a crash would, and keeps the data. */
    public synchronized void killHard() {
        if (process != null) {
            PostmasterFile.kill(process.toHandle());
        }
        forget();
    }

    private void forget() {
        if (watchdog != null) {
            watchdog.close();
        }
        watchdog = null;
        process = null;
    }

    /**
     * Starts a standby that streams from this server: another server of the same system, to be read at once and to be
     * {@linkplain #promote promoted}. It has a physical slot of that name here, {@code hot_standby_feedback}, and all
     * that {@code pg_sync_replication_slots()} needs. Its superuser has this server's password.
     *
     * @param name of the physical slot: {@code [a-z0-9_]+}
     * @throws TestkitException when it does not start
     */
    public EmbeddedPostgres launchStandby(String name) {
        WorkDirectory standby = WorkDirectory.open("postgres", null);
        try (Connection connection = connect("postgres");
                Statement statement = connection.createStatement()) {
            statement.execute("SELECT pg_create_physical_replication_slot('" + name + "', true)");
            DataCopy.hot(this, data(), PostgresCluster.data(standby.path()), cluster.account());
            cluster.makeStandby(standby.path());
        } catch (SQLException | IOException e) {
            standby.close();
            throw new TestkitException("A standby of " + this + " could not be made.", e);
        }
        Map<String, String> options = new HashMap<>(settings.options());
        options.put(
                "primary_conninfo",
                "host=" + host() + " port=" + port + " user=" + superuser() + " password=" + password()
                        + " dbname=postgres application_name=" + name);
        options.put("primary_slot_name", name);
        options.put("hot_standby_feedback", "on");
        return launch(standby, ServerSettings.defaults().withOptions(options));
    }

    /**
     * Makes a standby a primary, on a new timeline, and waits until it is one.
     *
     * @throws TestkitException when it is none, or is not promoted within 60 s
     */
    public void promote() {
        try (Connection connection = connect("postgres");
                Statement statement = connection.createStatement();
                ResultSet promoted = statement.executeQuery("SELECT pg_promote(true, " + START_SECONDS_MAX + ")")) {
            if (!promoted.next() || !promoted.getBoolean(1)) {
                throw new TestkitException(this + " was not promoted within " + START_SECONDS_MAX + " s.", null);
            }
        } catch (SQLException e) {
            throw new TestkitException(this + " could not be promoted.", e);
        }
    }

    /**
     * Copies the data as it is, slots included. The server must be stopped. A copy goes with the server's directory.
     *
     * @return the copy, for {@link #restore}
     */
    public synchronized Path backUp() {
        requireStopped();
        try {
            Path backup = Files.createTempDirectory(work.path(), "backup-").resolve("data");
            DataCopy.cold(data(), backup, cluster.account());
            return backup;
        } catch (IOException e) {
            throw new TestkitException(data() + " could not be copied.", e);
        }
    }

    /** Puts a copy back in the place of the data, as often as wanted. The server must be stopped. */
    public synchronized void restore(Path backup) {
        requireStopped();
        try {
            Directories.delete(data());
            DataCopy.cold(backup, data(), cluster.account());
        } catch (IOException e) {
            throw new TestkitException(backup + " could not be put back.", e);
        }
    }

    private void requireStopped() {
        if (closed || process != null) {
            throw new IllegalStateException(this + (closed ? " is closed." : " runs; stop it first."));
        }
    }

    /** Whether the server's process runs. */
    public synchronized boolean isRunning() {
        return process != null && process.isAlive();
    }

    /**
     * The process id of the postmaster.
     *
     * @throws IllegalStateException when it does not run
     */
    public synchronized long pid() {
        if (process == null) {
            throw new IllegalStateException(this + " does not run.");
        }
        return process.pid();
    }

    /** The data directory, for tests that copy it. */
    public Path data() {
        return cluster.data();
    }

    /** The server's log file. */
    public Path log() {
        return work.path().resolve("postgres.log");
    }

    Path directory() {
        return work.path();
    }

    private String logTail() {
        try {
            var lines = Files.readAllLines(log());
            return String.join("\n", lines.subList(Math.max(0, lines.size() - LOG_TAIL_LINES), lines.size()));
        } catch (IOException e) {
            return "(no log: " + e + ")";
        }
    }

    @Override
    public String host() {
        return "127.0.0.1";
    }

    @Override
    public int port() {
        return port;
    }

    @Override
    public String superuser() {
        return PostgresCluster.SUPERUSER;
    }

    @Override
    public String password() {
        return cluster.password();
    }

    /** Ends the server (cleanly when its directory is kept) and deletes a temporary directory. */
    @Override
    public void close() {
        ExitHooks.remove(atExit);
        closeAtExit();
    }

    private synchronized void closeAtExit() {
        closed = true;
        try {
            stop(work.isTemporary() ? StopMode.IMMEDIATE : StopMode.FAST);
        } finally {
            killHard();
            work.close();
        }
    }

    @Override
    public String toString() {
        return "PostgreSQL on 127.0.0.1:" + port + " in " + data();
    }
}
