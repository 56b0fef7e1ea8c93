package dev.posthaste.relay.lease;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/**
 * A connection that writes as the holder of a lease: each transaction holds the lease row shared, under owner and
 * fence, so a relay that lost the lease can write nothing (provision S1 16). Not thread-safe.
 */
public final class LeasedSession implements AutoCloseable {

    private final Connection connection;
    private final Lease lease;

    private LeasedSession(Connection connection, Lease lease) throws SQLException {
        this.connection = connection;
        this.lease = lease;
        connection.setAutoCommit(false);
    }

    /**
     * Opens a connection for it. Nothing may keep the lease row locked for longer than a lease, or neither its holder
     * nor anybody else could have it: the server ends the session of a leader frozen inside a transaction, and a
     * statement that hangs, on a lock of somebody's DDL for one. The keeper renews three times a lease, so a half of
     * one leaves it time. And evidence that the slot has moved past must survive a crash of the server, whatever the
     * database holds of its commits otherwise.
     *
     * @param connection taken over, also if this fails
     * @param duration of the lease
     */
    public static LeasedSession open(Connection connection, Lease lease, Duration duration) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET idle_in_transaction_session_timeout = " + duration.toMillis());
            statement.execute("SET lock_timeout = " + duration.dividedBy(3).toMillis());
            statement.execute("SET statement_timeout = " + duration.dividedBy(2).toMillis());
            statement.execute("SELECT set_config('synchronous_commit', 'on', false) "
                    + "WHERE current_setting('synchronous_commit') = 'off'");
            return new LeasedSession(connection, lease);
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
    }

    /** What is done in a transaction. */
    @FunctionalInterface
    public interface Work<T> {

        /** Does it. */
        T run(Connection connection) throws SQLException;
    }

    /** As whose holder it writes. */
    public Lease lease() {
        return lease;
    }

    /** Reads, and commits. It keeps nobody from the lease row, so it may take its time. */
    public <T> T read(Work<T> work) throws SQLException {
        try {
            takeTime();
            T result = work.run(connection);
            connection.commit();
            return result;
        } catch (SQLException e) {
            rollBack(e);
            throw e;
        }
    }

    /**
     * Writes under the lease, and commits.
     *
     * @throws FencedException if the lease is another's: nothing was written
     */
    public <T> T write(Work<T> work) throws SQLException, FencedException {
        try {
            requireLease();
            T result = work.run(connection);
            connection.commit();
            return result;
        } catch (SQLException | FencedException | RuntimeException e) {
            rollBack(e);
            throw e;
        }
    }

    private void takeTime() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET LOCAL statement_timeout = 0");
        }
    }

    private void requireLease() throws SQLException, FencedException {
        try (PreparedStatement guard = connection.prepareStatement(
                "SELECT FROM relay.lease WHERE slot = ? AND owner = ? AND fence = ? FOR SHARE")) {
            guard.setString(1, lease.slot());
            guard.setString(2, lease.owner());
            guard.setLong(3, lease.fence());
            try (ResultSet rows = guard.executeQuery()) {
                if (!rows.next()) {
                    throw new FencedException("PostgreSQL: the lease of slot " + lease.slot() + " with fence "
                            + lease.fence() + " is no longer ours");
                }
            }
        }
    }

    private void rollBack(Exception cause) {
        try {
            connection.rollback();
        } catch (SQLException e) {
            cause.addSuppressed(e);
        }
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
