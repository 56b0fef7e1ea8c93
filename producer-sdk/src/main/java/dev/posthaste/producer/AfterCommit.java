package dev.posthaste.producer;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * For what is left out of the outbox on purpose, because operators can repeat it by hand (provisions S1 4 and 5): runs
 * a reaction once a transaction is committed, and never after a rollback. Nothing is staged, and nothing repeats it: if
 * the process dies between the commit and the reaction, the reaction is gone. What must not be lost belongs in the
 * {@link Outbox}.
 */
public final class AfterCommit {

    private static final Logger LOG = System.getLogger(AfterCommit.class.getName());

    private AfterCommit() {}

    /**
     * The business change.
     *
     * @param <T> what it hands to the reaction
     * @param <E> what it throws beside SQLException
     */
    @FunctionalInterface
    public interface Work<T, E extends Exception> {
        /** Changes what is to change, on the connection given; neither commits nor rolls back. */
        T run(Connection connection) throws SQLException, E;
    }

    /** What happens after the commit. */
    @FunctionalInterface
    public interface Reaction<T> {
        /** Reacts to what the work returned. It gets no connection: it has no transaction to write in. */
        void run(T result) throws Exception;
    }

    /** What is told of a reaction that failed. */
    @FunctionalInterface
    public interface OnFailure<T> {
        /** Is told of the failure; the change is committed and stays. */
        void accept(T result, Exception failure);
    }

    /**
     * Runs the work, commits, then runs the reaction on the caller's thread. If the work or the commit throws, it rolls
     * back and throws the same again, and the reaction does not run. Once committed it throws nothing more: a failure
     * of the reaction goes to {@code onFailure}, and one of {@code onFailure} to the log.
     *
     * @param connection with auto-commit off; it is not closed
     * @return what the work returned
     * @throws IllegalStateException if the connection is in auto-commit mode or read-only; nothing was run
     * @throws SQLException from the work or the commit; a commit whose answer was lost counts as failed
     * @throws E from the work
     */
    public static <T, E extends Exception> T run(
            Connection connection, Work<T, E> work, Reaction<? super T> reaction, OnFailure<? super T> onFailure)
            throws SQLException, E {
        Transactions.requireWritable(connection, "AfterCommit.run");
        T result = commit(connection, work);
        react(result, reaction, onFailure);
        return result;
    }

    private static <T, E extends Exception> T commit(Connection connection, Work<T, E> work) throws SQLException, E {
        try {
            T result = work.run(connection);
            requireNotAborted(connection);
            connection.commit();
            return result;
        } catch (Throwable failure) {
            rollback(connection, failure);
            throw failure;
        }
    }

    /**
     * An SQL error that the work has swallowed has aborted the transaction, and COMMIT then rolls it back: pgjdbc says
     * nothing of that.
     */
    private static void requireNotAborted(Connection connection) throws SQLException {
        try (Statement probe = connection.createStatement()) {
            probe.execute("SELECT 1");
        }
    }

    private static void rollback(Connection connection, Throwable first) {
        try {
            connection.rollback();
        } catch (SQLException e) {
            first.addSuppressed(e);
        }
    }

    private static <T> void react(T result, Reaction<? super T> reaction, OnFailure<? super T> onFailure) {
        try {
            reaction.run(result);
        } catch (Exception failure) {
            if (failure instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            report(result, failure, onFailure);
        }
    }

    private static <T> void report(T result, Exception failure, OnFailure<? super T> onFailure) {
        try {
            onFailure.accept(result, failure);
        } catch (RuntimeException e) {
            e.addSuppressed(failure);
            LOG.log(Level.ERROR, "onFailure of AfterCommit.run failed itself; the transaction is committed", e);
        }
    }
}
