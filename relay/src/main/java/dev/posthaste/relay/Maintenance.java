package dev.posthaste.relay;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.posthaste.relay.health.RelayMeters;
import dev.posthaste.schemas.catalog.Catalog;

/**
 * What the leader does for the tables beside publishing: partitions for the days ahead, the bounds of what is pending,
 * and the figures behind the gauges. A failure is logged and tried again; it never ends the term, since publishing does
 * not depend on it. The thread {@code posthaste-maintenance} belongs to this object and ends with it, so that a slow
 * query keeps no leader from ending its term.
 */
final class Maintenance implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Maintenance.class);

    /** How often to look for what is due. */
    private static final Duration PAUSE = Duration.ofSeconds(1);

    /** So old may a gauge be; scraping asks no database. */
    private static final long FIGURES_EVERY_NANOS = Duration.ofSeconds(5).toNanos();

    /** What could not be read for so long is not known any more. */
    private static final long FIGURES_KEPT_NANOS = Duration.ofMinutes(1).toNanos();

    private static final long SETTLED_EVERY_NANOS = Duration.ofSeconds(10).toNanos();
    private static final long PARTITIONS_EVERY_NANOS = Duration.ofHours(1).toNanos();
    private static final Duration CLOSE_TIMEOUT = Duration.ofMillis(200);

    private final Connection connection;
    private final FiguresReader figures;
    private final RelayMeters meters;
    private final CompletableFuture<Void> over = new CompletableFuture<>();
    private final Thread thread = new Thread(this::live, "posthaste-maintenance");
    private long figuresAt = System.nanoTime() - FIGURES_EVERY_NANOS;
    private long figuresKnownAt = System.nanoTime();
    private boolean figuresFail;
    private long settledAt = System.nanoTime();
    private long partitionsAt = System.nanoTime() - PARTITIONS_EVERY_NANOS;

    private Maintenance(Connection connection, String slot, Catalog catalog, RelayMeters meters) {
        this.connection = connection;
        this.figures = new FiguresReader(connection, slot, catalog);
        this.meters = meters;
        thread.setDaemon(true);
    }

    /** Begins; nobody else uses the connection until it is closed. */
    static Maintenance start(Connection connection, String slot, Catalog catalog, RelayMeters meters) {
        Maintenance maintenance = new Maintenance(connection, slot, catalog, meters);
        maintenance.thread.start();
        return maintenance;
    }

    private void live() {
        try {
            do {
                runWhatIsDue();
            } while (!Waiting.isDone(over, PAUSE));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void runWhatIsDue() {
        long now = System.nanoTime();
        if (now - figuresAt >= FIGURES_EVERY_NANOS) {
            readFigures();
            figuresAt = System.nanoTime();
        }
        if (now - settledAt >= SETTLED_EVERY_NANOS) {
            settledAt = now;
            run("SELECT outbox.advance_settled()");
        }
        if (now - partitionsAt >= PARTITIONS_EVERY_NANOS) {
            partitionsAt = now;
            run("SELECT outbox.ensure_partitions()");
        }
    }

    private void readFigures() {
        try {
            meters.outbox().set(figures.read());
            figuresKnownAt = System.nanoTime();
            figuresFail = false;
        } catch (SQLException e) {
            if (System.nanoTime() - figuresKnownAt >= FIGURES_KEPT_NANOS) {
                meters.outbox().forget();
            }
            if (!figuresFail && !over.isDone()) { // once until it goes well again: it is tried every few seconds
                figuresFail = true;
                log.warn("the figures behind the gauges could not be read and will be tried again: {}", e.getMessage());
            }
        }
    }

    private void run(String sql) {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            if (!over.isDone()) {
                log.warn("{} failed and will be tried again: {}", sql, e.getMessage());
            }
        }
    }

    /** Ends it; a query that still runs loses its connection. */
    @Override
    public void close() throws SQLException, InterruptedException {
        over.complete(null);
        thread.join(CLOSE_TIMEOUT.toMillis());
        if (thread.isAlive()) {
            connection.abort(Runnable::run);
            thread.join(CLOSE_TIMEOUT.toMillis());
        }
    }
}
