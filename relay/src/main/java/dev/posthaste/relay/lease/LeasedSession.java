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
     * Opens a connection for it. A leader frozen inside a transaction must not keep the lease row locked: the server
     * ends its session. And evidence that the slot has moved past must survive a crash of the server, whatever the
     * database holds of its commits otherwise.
     *
     * @param connection taken over, also if this fails
     * @param idleMax how long a transaction may stand idle
     */
    public static LeasedSession open(Connection connection, Lease lease, Duration idleMax) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET idle_in_transaction_session_timeout = " + idleMax.toMillis());
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

    /** Reads, and commits. */
    public <T> T read(Work<T> work) throws SQLException {
        try {
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
