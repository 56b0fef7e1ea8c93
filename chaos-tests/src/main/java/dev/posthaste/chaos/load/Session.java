package dev.posthaste.chaos.load;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Properties;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A writer's connection, made anew after each failure, with pauses that grow up to a second. Used by one thread. */
final class Session implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Session.class);
    private static final long PAUSE_MILLIS_MIN = 50;
    private static final long PAUSE_MILLIS_MAX = 1_000;
    private static final Duration IDLE = Duration.ofSeconds(15);

    private final LoadSettings settings;
    private final StopSignal stop;
    private @Nullable Connection connection;
    private long pauseMillis = PAUSE_MILLIS_MIN;

    Session(LoadSettings settings, StopSignal stop) {
        this.settings = settings;
        this.stop = stop;
    }

    Connection connection() throws SQLException {
        if (connection == null) {
            connection = DriverManager.getConnection(settings.jdbcUrl(), properties());
        }
        return connection;
    }

    private Properties properties() {
        Properties properties = new Properties();
        properties.setProperty("user", settings.user());
        properties.setProperty("password", settings.password());
        properties.setProperty("ApplicationName", "chaos-load");
        properties.setProperty("connectTimeout", "2");
        properties.setProperty(
                "socketTimeout", Long.toString(settings.socketTimeout().toSeconds()));
        // A session that was cut off must not hold the counters of its keys for long.
        properties.setProperty(
                "options",
                "-c lock_timeout=3s -c idle_in_transaction_session_timeout="
                        + IDLE.plus(settings.openFor()).toMillis());
        return properties;
    }

    void succeeded() {
        pauseMillis = PAUSE_MILLIS_MIN;
    }

    /** Drops the connection and waits. */
    void failed(SQLException failure) {
        log.info("a transaction failed, a new connection follows in {} ms: {}", pauseMillis, failure.getMessage());
        close();
        stop.await(pauseMillis);
        pauseMillis = Math.min(2 * pauseMillis, PAUSE_MILLIS_MAX);
    }

    @Override
    public void close() {
        Connection closing = connection;
        connection = null;
        if (closing != null) {
            try {
                closing.close();
            } catch (SQLException e) {
                log.debug("a connection was not closed", e); // it was lost before
            }
        }
    }
}
