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

    /**
     * Data exception, violated constraint, a row that is not there, a value that is too large for an index: it is the
     * same however often it is tried.
     */
    private static final Set<String> REFUSED_CLASSES = Set.of("22", "23", "24", "54");

    /** A schema, table, column or function that is not there. */
    private static final Set<String> MISSING = Set.of("3F000", "42P01", "42703", "42883");

    private static final Set<String> UNKNOWN_USER = Set.of("28000", "28P01");

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

    /** What to do about an error that no waiting mends: a fault of the set-up; empty for all others. */
    static String remedy(Throwable error) {
        if (isAny(error, MISSING::contains)) {
            return "the inbox is missing or older than this SDK; run `posthaste init --inbox` or its migrations";
        }
        if (isAny(error, "42501"::equals)) {
            return "make the service's role a member of posthaste_consumer";
        }
        if (isAny(error, UNKNOWN_USER::contains)) {
            return "check user and password of the data source";
        }
        return isAny(error, "3D000"::equals) ? "check the database in the data source's URL, or create it" : "";
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
