package dev.posthaste.relay;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.posthaste.relay.health.RelayMeters;

/**
 * What the leader does for the tables beside publishing: partitions for the days ahead, and the bounds of what is
 * pending. A failure is logged and tried again, on a new connection if the old one is gone; it never ends the term,
 * since publishing does not depend on it.
 *
 * <p>The thread {@code posthaste-maintenance} belongs to this object and ends with {@link #close()}: the relay's own
 * must notice the end of the term also while PostgreSQL keeps an answer back.
 */
final class Maintenance implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Maintenance.class);

    /** How often to look for what is due. */
    private static final Duration PAUSE = Duration.ofSeconds(1);
    /** What runs when the term ends may finish within it. */
    private static final Duration FINISH = Duration.ofMillis(500);

    private static final Duration END_TIMEOUT = Duration.ofSeconds(5);

    /** So old may a gauge be; scraping asks no database. */
    private static final long FIGURES_EVERY_NANOS = Duration.ofSeconds(5).toNanos();

    private static final long SETTLED_EVERY_NANOS = Duration.ofSeconds(10).toNanos();
    private static final long PARTITIONS_EVERY_NANOS = Duration.ofHours(1).toNanos();

    /** Opens a connection in place of one that is gone. */
    @FunctionalInterface
    interface Reconnect {
        Connection connect() throws SQLException;
    }

    private final Reconnect reconnect;
    private final FiguresReader figures;
    private final RelayMeters meters;
    private final CountDownLatch closing = new CountDownLatch(1);
    private final Thread thread = new Thread(this::run, "posthaste-maintenance");
    private volatile Connection connection;
    private long figuresAt = System.nanoTime() - FIGURES_EVERY_NANOS;
    private long settledAt = System.nanoTime();
    private long partitionsAt = System.nanoTime() - PARTITIONS_EVERY_NANOS;

    private Maintenance(Connection connection, Reconnect reconnect, FiguresReader figures, RelayMeters meters) {
        this.connection = connection;
        this.reconnect = reconnect;
        this.figures = figures;
        this.meters = meters;
        this.thread.setDaemon(true);
    }

    /**
     * Starts it.
     *
     * @param connection taken over
     */
    static Maintenance start(Connection connection, Reconnect reconnect, FiguresReader figures, RelayMeters meters) {
        Maintenance maintenance = new Maintenance(connection, reconnect, figures, meters);
        maintenance.thread.start();
        return maintenance;
    }

    private void run() {
        try {
            while (!closing.await(PAUSE.toMillis(), TimeUnit.MILLISECONDS)) {
                runWhatIsDue();
            }
            connection.close();
        } catch (SQLException e) {
            log.debug("the connection for maintenance was not closed", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void runWhatIsDue() {
        long now = System.nanoTime();
        if (now - figuresAt >= FIGURES_EVERY_NANOS) {
            figuresAt = now;
            readFigures();
        }
        if (now - settledAt >= SETTLED_EVERY_NANOS) {
            settledAt = now;
            execute("SELECT outbox.advance_settled()");
        }
        if (now - partitionsAt >= PARTITIONS_EVERY_NANOS) {
            partitionsAt = now;
            execute("SELECT outbox.ensure_partitions()");
        }
    }

    private Connection connected() throws SQLException {
        if (connection.isClosed() && closing.getCount() > 0) {
            connection = reconnect.connect();
        }
        return connection;
    }

    private void readFigures() {
        try {
            meters.outbox().set(figures.read(connected()));
        } catch (SQLException e) {
            meters.outbox().forget(); // a figure that is no longer true must not look as if it were
            failed("reading the figures behind the gauges", e);
        }
    }

    private void execute(String sql) {
        try (Statement statement = connected().createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            failed(sql, e);
        }
    }

    private void failed(String what, SQLException e) {
        if (closing.getCount() > 0) {
            log.warn("{} failed and will be tried again: {}", what, e.getMessage());
        }
    }

    /** Ends it; an answer that does not come is not waited for. */
    @Override
    public void close() throws SQLException {
        closing.countDown();
        try {
            thread.join(FINISH.toMillis());
            if (thread.isAlive()) {
                connection.abort(Runnable::run);
                thread.join(END_TIMEOUT.toMillis());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
