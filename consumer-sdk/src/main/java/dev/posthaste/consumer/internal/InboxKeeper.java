package dev.posthaste.consumer.internal;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.posthaste.consumer.inbox.InboxCleanup;

/**
 * Keeps the inbox's tables, at start and every hour, on a thread {@code posthaste-inbox}: states its handlers'
 * retention, makes the daily partitions ahead, removes what is past retention, and names what somebody has removed by
 * hand. If it fails, rows go to the default partition and are moved later, and nothing is removed before the next time.
 * Thread-safe.
 */
public final class InboxKeeper {

    private static final Logger LOG = LoggerFactory.getLogger(InboxKeeper.class);

    /** Each in a transaction of its own; what is left over is for the next time. */
    private static final int PARTITIONS_MAX = 50;

    private static final int BATCHES_MAX = 200;
    private static final int BATCH_ROWS_MAX = 5_000;

    private final DataSource dataSource;
    private final List<Ownership> handlers;
    private final @Nullable Duration retention;
    private final Duration every;
    private final Counter errors;
    private final OrphanWatch orphans;
    private final ScheduledThreadPoolExecutor timer =
            new ScheduledThreadPoolExecutor(1, task -> new Thread(task, "posthaste-inbox"));

    /**
     * Makes one; nothing runs before {@link #start()}.
     *
     * @param handlers whose rows it removes
     * @param retention how long they are kept after completion; null: for ever
     * @param every how often it looks
     */
    public InboxKeeper(
            DataSource dataSource,
            List<Ownership> handlers,
            @Nullable Duration retention,
            Duration every,
            MeterRegistry meters) {
        this.dataSource = dataSource;
        this.handlers = List.copyOf(handlers);
        this.retention = retention;
        this.every = every;
        this.errors = Counter.builder("posthaste.inbox.cleanup.errors")
                .description("Times that the inbox could not be cleaned up")
                .register(meters);
        this.orphans = new OrphanWatch(meters);
    }

    /** Begins. */
    public void start() {
        var unused = timer.scheduleWithFixedDelay(this::keep, 0, every.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Ends. */
    public void stop() {
        timer.shutdownNow();
        orphans.remove();
    }

    private void keep() {
        try (Connection connection = dataSource.getConnection()) {
            boolean autoCommit = connection.getAutoCommit();
            connection.setAutoCommit(true);
            makePartitions(connection);
            cleanUp(connection);
            lookForOrphans(connection);
            connection.setAutoCommit(autoCommit);
        } catch (SQLException | RuntimeException e) {
            if (!timer.isShutdown()) {
                LOG.warn("the inbox's tables were not looked after; the next try is in {}: {}", every, e.toString());
            }
        }
    }

    private void makePartitions(Connection connection) {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SELECT inbox.ensure_partitions()");
        } catch (SQLException e) {
            if (!timer.isShutdown()) {
                LOG.warn("the inbox's partitions were not made; the next try is in {}: {}", every, e.toString());
            }
        }
    }

    private void cleanUp(Connection connection) {
        try {
            for (Ownership handler : handlers) {
                if (handler.isOurs(connection)) {
                    InboxCleanup.state(connection, handler.handler(), retention);
                }
            }
            dropPartitions(connection);
            for (InboxCleanup.Rows rows : InboxCleanup.Rows.values()) {
                delete(connection, rows);
            }
        } catch (SQLException e) {
            if (!timer.isShutdown()) {
                errors.increment();
                LOG.warn("the inbox was not cleaned up; the next try is in {}: {}", every, e.toString());
            }
        }
    }

    private void lookForOrphans(Connection connection) throws SQLException {
        List<String> ours = new ArrayList<>();
        for (Ownership handler : handlers) {
            if (handler.isOurs(connection)) {
                ours.add(handler.handler());
            }
        }
        orphans.look(connection, ours);
    }

    private void dropPartitions(Connection connection) throws SQLException {
        for (int i = 0; i < PARTITIONS_MAX && !timer.isShutdown(); i++) {
            String dropped = InboxCleanup.dropPartition(connection).orElse(null);
            if (dropped == null) {
                return;
            }
            LOG.info("the inbox's partition {} is past retention and was dropped", dropped);
        }
    }

    private void delete(Connection connection, InboxCleanup.Rows rows) throws SQLException {
        for (int i = 0; i < BATCHES_MAX && !timer.isShutdown(); i++) {
            if (InboxCleanup.delete(connection, rows, BATCH_ROWS_MAX) < BATCH_ROWS_MAX) {
                return;
            }
        }
    }
}
