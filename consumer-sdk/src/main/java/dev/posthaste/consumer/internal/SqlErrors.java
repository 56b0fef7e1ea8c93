package dev.posthaste.consumer.internal;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import java.util.function.Predicate;
import javax.sql.DataSource;

/** What an SQL error means for the message at hand. */
public final class SqlErrors {

    /** Serialization failure, deadlock, lock time-out: nobody's fault, gone with another try. */
    private static final Set<String> CONTENTION = Set.of("40001", "40P01", "55P03");

    /** Data exception, violated constraint, a row that is not there: it is the same however often it is tried. */
    private static final Set<String> REFUSED_CLASSES = Set.of("22", "23", "24");

    private static final int CLASS_CHARACTERS = 2;
    private static final int CAUSES_MAX = 20;
    private static final int VALID_SECONDS = 2;

    private SqlErrors() {}

    /** Whether nothing but other transactions stood against it. */
    public static boolean isContention(Throwable error) {
        return isAny(error, CONTENTION::contains);
    }

    /** Whether the database is there and refuses what it was given. */
    static boolean isRefusal(Throwable error) {
        return isAny(
                error,
                state -> state.length() > CLASS_CHARACTERS
                        && REFUSED_CLASSES.contains(state.substring(0, CLASS_CHARACTERS)));
    }

    private static boolean isAny(Throwable error, Predicate<String> states) {
        Throwable cause = error;
        for (int i = 0; i < CAUSES_MAX && cause != null; i++, cause = cause.getCause()) {
            if (cause instanceof SQLException sql && sql.getSQLState() != null && states.test(sql.getSQLState())) {
                return true;
            }
        }
        return false;
    }

    /**
     * Rolls back; false if the connection is lost. The connection is what tells of the store, not the error: a handler
     * may well throw the connection error of some other database. Where a handler had it, see {@link #isThere}.
     */
    public static boolean rollback(Connection connection, Throwable first) {
        try {
            connection.rollback();
            return connection.isValid(VALID_SECONDS);
        } catch (SQLException e) {
            first.addSuppressed(e);
            return false;
        }
    }

    /** Whether a database gives a connection that works. */
    static boolean isThere(DataSource database) {
        try (Connection connection = database.getConnection()) {
            return connection.isValid(VALID_SECONDS);
        } catch (SQLException | RuntimeException e) { // pools may throw what they like
            return false;
        }
    }
}
