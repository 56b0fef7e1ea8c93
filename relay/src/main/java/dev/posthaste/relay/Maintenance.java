package dev.posthaste.relay;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.posthaste.relay.health.RelayMeters;

/**
 * What the leader does for the tables beside publishing: partitions for the days ahead, and the bounds of what is
 * pending. A failure is logged and tried again; it never ends the term, since publishing does not depend on it.
 */
final class Maintenance {

    /** How often to look for what is due. */
    static final Duration PAUSE = Duration.ofSeconds(1);

    private static final Logger log = LoggerFactory.getLogger(Maintenance.class);
    /** So old may a gauge be; scraping asks no database. */
    private static final long FIGURES_EVERY_NANOS = Duration.ofSeconds(5).toNanos();

    private static final long SETTLED_EVERY_NANOS = Duration.ofSeconds(10).toNanos();
    private static final long PARTITIONS_EVERY_NANOS = Duration.ofHours(1).toNanos();

    private final Connection connection;
    private final FiguresReader figures;
    private final RelayMeters meters;
    private long figuresAt = System.nanoTime() - FIGURES_EVERY_NANOS;
    private long settledAt = System.nanoTime();
    private long partitionsAt = System.nanoTime() - PARTITIONS_EVERY_NANOS;

    Maintenance(Connection connection, String slot, RelayMeters meters) {
        this.connection = connection;
        this.figures = new FiguresReader(connection, slot);
        this.meters = meters;
    }

    void runWhatIsDue() {
        long now = System.nanoTime();
        if (now - figuresAt >= FIGURES_EVERY_NANOS) {
            figuresAt = now;
            readFigures();
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
        } catch (SQLException e) {
            log.warn("the figures behind the gauges could not be read and will be tried again: {}", e.getMessage());
        }
    }

    private void run(String sql) {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            log.warn("{} failed and will be tried again: {}", sql, e.getMessage());
        }
    }
}
