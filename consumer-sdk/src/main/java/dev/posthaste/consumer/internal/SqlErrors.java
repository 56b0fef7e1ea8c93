package dev.posthaste.consumer.internal;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/** What an SQL error means for the message at hand. */
public final class SqlErrors {

    /** Serialization failure, deadlock, lock time-out: nobody's fault, gone with another try. */
    private static final Set<String> CONTENTION = Set.of("40001", "40P01", "55P03");

    private static final int CAUSES_MAX = 20;
    private static final int VALID_SECONDS = 2;

    private SqlErrors() {}

    /** Whether it is one of those. */
    public static boolean isContention(Throwable error) {
        Throwable cause = error;
        for (int i = 0; i < CAUSES_MAX && cause != null; i++, cause = cause.getCause()) {
            if (cause instanceof SQLException sql && isContention(sql.getSQLState())) {
                return true;
            }
        }
        return false;
    }

    private static boolean isContention(@Nullable String sqlState) {
        return sqlState != null && CONTENTION.contains(sqlState);
    }

    /**
     * Rolls back; false if the connection is lost. The connection is what tells an outage of the store from a failed
     * message: a handler may well throw the connection error of some other database.
     */
    static boolean rollback(Connection connection, Throwable first) {
        try {
            connection.rollback();
            return connection.isValid(VALID_SECONDS);
        } catch (SQLException e) {
            first.addSuppressed(e);
            return false;
        }
    }
}
