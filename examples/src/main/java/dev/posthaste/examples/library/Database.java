package dev.posthaste.examples.library;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Objects;
import javax.sql.DataSource;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;

/** A connection pool for a service, and its own tables. */
public final class Database {

    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

    private Database() {}

    /**
     * Opens a pool.
     *
     * @param jdbcUrl with user and password as parameters
     * @param connections most at a time
     */
    public static HikariDataSource pool(String jdbcUrl, int connections) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(jdbcUrl);
        config.setMaximumPoolSize(connections);
        config.setConnectionTimeout(CONNECT_TIMEOUT.toMillis());
        config.setInitializationFailTimeout(-1); // the database may come later than the service
        return new HikariDataSource(config);
    }

    /** Makes a service's own tables where they are missing. */
    public static void makeTables(DataSource database, String resource) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(text(resource));
        }
    }

    private static String text(String resource) {
        try (InputStream in = Database.class.getResourceAsStream(resource)) {
            return new String(Objects.requireNonNull(in, resource).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException(e); // a resource of our own jar
        }
    }
}
