package dev.posthaste.consumer.internal;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the figures of all handlers every few seconds, on a thread {@code posthaste-figures}: their gauges are never
 * older than 10 s (provision S3 4). While the database is away it asks nothing, and they are not known. Thread-safe.
 */
public final class FigureKeeper {

    private static final Logger LOG = LoggerFactory.getLogger(FigureKeeper.class);
    private static final Duration EVERY = Duration.ofSeconds(5);

    private final DataSource dataSource;
    private final StoreGate gate;
    private final List<HandlerLoop> loops;
    private final ScheduledThreadPoolExecutor timer =
            new ScheduledThreadPoolExecutor(1, task -> new Thread(task, "posthaste-figures"));

    /** Makes one; nothing runs before {@link #start()}. */
    public FigureKeeper(DataSource dataSource, StoreGate gate, List<HandlerLoop> loops) {
        this.dataSource = dataSource;
        this.gate = gate;
        this.loops = List.copyOf(loops);
    }

    /** Begins. */
    public void start() {
        var unused = timer.scheduleWithFixedDelay(this::read, 0, EVERY.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Ends. */
    public void stop() {
        timer.shutdownNow();
    }

    /** A count that fails is no outage: whoever has work to do finds out about those. */
    private void read() {
        if (!gate.isAvailable()) {
            loops.forEach(HandlerLoop::forgetFigures);
            return;
        }
        try (Connection connection = dataSource.getConnection()) {
            boolean autoCommit = connection.getAutoCommit();
            connection.setAutoCommit(true);
            for (HandlerLoop loop : loops) {
                loop.readFigures(connection);
            }
            connection.setAutoCommit(autoCommit);
        } catch (SQLException | RuntimeException e) {
            loops.forEach(HandlerLoop::forgetFigures);
            LOG.debug("the inbox could not be counted; the next try is in {}", EVERY, e);
        }
    }
}
