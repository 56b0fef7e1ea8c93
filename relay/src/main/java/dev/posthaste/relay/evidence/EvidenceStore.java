package dev.posthaste.relay.evidence;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;

import dev.posthaste.relay.lease.Lease;
import dev.posthaste.relay.publishing.FencedException;
import dev.posthaste.relay.source.DatabaseSettings;

/**
 * Writes evidence on a connection of its own, each row in a transaction that holds the lease row shared: a relay that
 * lost the lease can write nothing (provision S1 16). Not thread-safe.
 */
public final class EvidenceStore implements AutoCloseable {

    private final Connection connection;
    private final Lease lease;

    /**
     * Opens a connection for evidence. A leader frozen inside a transaction must not keep the lease row locked: the
     * server ends its session. And evidence that the slot has moved past must survive a crash of the server, whatever
     * the database holds of its commits otherwise.
     *
     * @param idleMax how long a transaction may stand idle
     */
    public static Connection session(DatabaseSettings database, Duration idleMax) throws SQLException {
        Connection connection = database.connect("posthaste-evidence");
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET idle_in_transaction_session_timeout = " + idleMax.toMillis());
            statement.execute("SELECT set_config('synchronous_commit', 'on', false) "
                    + "WHERE current_setting('synchronous_commit') = 'off'");
            return connection;
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
    }

    /** Takes the connection over, and writes as the holder of that lease. */
    public EvidenceStore(Connection connection, Lease lease) throws SQLException {
        this.connection = connection;
        this.lease = lease;
        connection.setAutoCommit(false);
    }

    /** Whether evidence of that batch is there. */
    public boolean isSettled(long batch) throws SQLException {
        try (PreparedStatement query =
                connection.prepareStatement("SELECT FROM outbox.dispatch_batch WHERE slot = ? AND batch = ?")) {
            query.setString(1, lease.slot());
            query.setLong(2, batch);
            try (ResultSet rows = query.executeQuery()) {
                boolean settled = rows.next();
                connection.commit();
                return settled;
            }
        }
    }

    /**
     * Writes the evidence of a batch, and commits. A batch that has it already is left as it is.
     *
     * @throws FencedException if the lease is another's: nothing was written
     */
    public void settle(DispatchedBatch batch) throws SQLException, FencedException {
        try {
            requireLease();
            insert(batch);
            connection.commit();
        } catch (SQLException | FencedException e) {
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

    private void insert(DispatchedBatch batch) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO outbox.dispatch_batch "
                + "(slot, batch, attempt, fence, position, catalog_version, staged, message_ids) "
                + "VALUES (?, ?, ?, ?, ?::pg_lsn, ?, tstzrange(?, ?, '[]'), ?) ON CONFLICT (slot, batch) DO NOTHING")) {
            insert.setString(1, lease.slot());
            insert.setLong(2, batch.batch());
            insert.setInt(3, batch.attempt());
            insert.setLong(4, lease.fence());
            insert.setString(5, batch.position().toString());
            insert.setString(6, batch.catalogVersion());
            insert.setObject(7, utc(batch.firstStaged()));
            insert.setObject(8, utc(batch.lastStaged()));
            insert.setArray(
                    9, connection.createArrayOf("uuid", batch.messageIds().toArray()));
            insert.executeUpdate();
        }
    }

    private static OffsetDateTime utc(Instant instant) {
        return instant.atOffset(ZoneOffset.UTC);
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
