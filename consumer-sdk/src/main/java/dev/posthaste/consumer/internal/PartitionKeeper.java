package dev.posthaste.consumer.internal;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the inbox's daily partitions ahead, at start and every hour, on a thread {@code posthaste-inbox}. If it fails,
 * rows go to the default partition and are moved later. Thread-safe.
 */
public final class PartitionKeeper {

    private static final Logger LOG = LoggerFactory.getLogger(PartitionKeeper.class);

    private final DataSource dataSource;
    private final ScheduledThreadPoolExecutor timer =
            new ScheduledThreadPoolExecutor(1, task -> new Thread(task, "posthaste-inbox"));

    /** Makes one; nothing runs before {@link #start()}. */
    public PartitionKeeper(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    /** Begins. */
    public void start() {
        var unused = timer.scheduleWithFixedDelay(this::keep, 0, 1, TimeUnit.HOURS);
    }

    /** Ends. */
    public void stop() {
        timer.shutdownNow();
    }

    private void keep() {
        try (Connection connection = dataSource.getConnection()) {
            boolean autoCommit = connection.getAutoCommit();
            connection.setAutoCommit(true);
            try (Statement statement = connection.createStatement()) {
                statement.execute("SELECT inbox.ensure_partitions()");
            }
            connection.setAutoCommit(autoCommit);
        } catch (SQLException | RuntimeException e) {
            if (timer.isShutdown()) {
                return;
            }
            LOG.warn("the inbox's partitions were not made; the next try is in an hour: {}", e.toString());
        }
    }
}
