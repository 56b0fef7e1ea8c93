package dev.posthaste.testkit;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.Map;

/** The settings every PostgreSQL of the testkit has, embedded or not. */
final class PostgresOptions {

    /** Without these a crash test proves nothing and a slot cannot be made. */
    private static final Map<String, String> PROMISED =
            Map.of("fsync", "on", "synchronous_commit", "on", "wal_level", "logical");

    private static final Map<String, String> ROOM = Map.of(
            "max_connections", "200",
            "max_wal_senders", "100",
            "max_replication_slots", "200",
            "max_prepared_transactions", "20",
            "shared_buffers", "64MB",
            "timezone", "UTC",
            "log_timezone", "UTC");

    private PostgresOptions() {}

    /** The settings with the user's added; what is promised can be changed by SQL only. */
    static Map<String, String> with(Map<String, String> further) {
        PROMISED.keySet().stream().filter(further::containsKey).findFirst().ifPresent(name -> {
            throw new IllegalArgumentException("PostgreSQL option " + name + "=" + further.get(name)
                    + " is refused: the testkit promises " + name + "=" + PROMISED.get(name) + ".");
        });
        Map<String, String> all = new LinkedHashMap<>(ROOM);
        all.putAll(further);
        all.putAll(PROMISED);
        return all;
    }

    /**
     * Asks the running server for what is promised.
     *
     * @throws TestkitException when it does not have it, or does not answer
     */
    static void verify(PostgresServer server) {
        try (Connection connection = server.connect("postgres");
                Statement statement = connection.createStatement()) {
            for (var promise : PROMISED.entrySet()) {
                String actual = show(statement, promise.getKey());
                if (!actual.equals(promise.getValue())) {
                    throw new TestkitException(
                            "PostgreSQL on port " + server.port() + " runs with " + promise.getKey() + "=" + actual
                                    + ", not " + promise.getValue() + ". Take ALTER SYSTEM back or use a fresh"
                                    + " directory.",
                            null);
                }
            }
        } catch (SQLException e) {
            throw new TestkitException("PostgreSQL on port " + server.port() + " does not answer.", e);
        }
    }

    private static String show(Statement statement, String name) throws SQLException {
        try (ResultSet result = statement.executeQuery("SHOW " + name)) {
            result.next();
            return result.getString(1);
        }
    }
}
