package dev.posthaste.chaos.load;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** The tables that the load and the handlers of a run have of their own, in a schema {@code chaos}. */
public final class LoadSchema {

    private LoadSchema() {}

    /**
     * Makes the counters of the keys where they are missing, in the database with the outbox, and gives the rights on
     * them to {@code posthaste_writer}.
     *
     * @throws SQLException when they cannot be made
     */
    public static void createCounters(DataSource outbox) throws SQLException {
        execute(
                outbox,
                "CREATE SCHEMA IF NOT EXISTS chaos;"
                        + "CREATE TABLE IF NOT EXISTS chaos.counter (key text PRIMARY KEY, n bigint NOT NULL);"
                        + "GRANT USAGE ON SCHEMA chaos TO posthaste_writer;"
                        + "GRANT SELECT, INSERT, UPDATE ON chaos.counter TO posthaste_writer");
    }

    /**
     * Makes the table of effects where it is missing, in the database with the inbox, and gives the rights on it to
     * {@code posthaste_consumer}. Nothing in it is unique: a double must be seen, not refused.
     *
     * @throws SQLException when it cannot be made
     */
    public static void createEffects(DataSource inbox) throws SQLException {
        execute(
                inbox,
                "CREATE SCHEMA IF NOT EXISTS chaos;"
                        + "CREATE TABLE IF NOT EXISTS chaos.effect (place bigserial, handler text NOT NULL,"
                        + " id uuid NOT NULL, key text NOT NULL, number bigint NOT NULL,"
                        + " at timestamptz NOT NULL DEFAULT clock_timestamp());"
                        + "CREATE INDEX IF NOT EXISTS effect_place ON chaos.effect (place);"
                        + "GRANT USAGE ON SCHEMA chaos TO posthaste_consumer;"
                        + "GRANT SELECT, INSERT ON chaos.effect TO posthaste_consumer;"
                        + "GRANT USAGE ON SEQUENCE chaos.effect_place_seq TO posthaste_consumer");
    }

    private static void execute(DataSource database, String sql) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
