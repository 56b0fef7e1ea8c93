package dev.posthaste.relay.evidence;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;

import dev.posthaste.relay.lease.FencedException;
import dev.posthaste.relay.lease.LeasedSession;

/**
 * Writes evidence on a connection of its own, each row in a transaction that holds the lease row shared: a relay that
 * lost the lease can write nothing (provision S1 16). Not thread-safe.
 */
public final class EvidenceStore {

    private final LeasedSession session;

    /** Writes through that session. */
    public EvidenceStore(LeasedSession session) {
        this.session = session;
    }

    /** Whether evidence of that batch is there. */
    public boolean isSettled(long batch) throws SQLException {
        return session.read(connection -> {
            try (PreparedStatement query =
                    connection.prepareStatement("SELECT FROM outbox.dispatch_batch WHERE slot = ? AND batch = ?")) {
                query.setString(1, session.lease().slot());
                query.setLong(2, batch);
                try (ResultSet rows = query.executeQuery()) {
                    return rows.next();
                }
            }
        });
    }

    /**
     * Writes the evidence of a batch, and commits. A batch that has it already is left as it is.
     *
     * @throws IllegalStateException if another batch has that number: the position was lost, and its numbers begin anew
     * @throws FencedException if the lease is another's: nothing was written
     */
    public void settle(DispatchedBatch batch) throws SQLException, FencedException {
        boolean unused = session.write(connection -> {
            if (!insert(connection, batch) && !isThere(connection, batch)) {
                throw new IllegalStateException(
                        "batch " + batch.batch() + " of slot " + session.lease().slot()
                                + " has the evidence of other messages already; the numbers of batches were given out twice");
            }
            return true;
        });
    }

    private boolean insert(Connection connection, DispatchedBatch batch) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO outbox.dispatch_batch "
                + "(slot, batch, attempt, fence, position, catalog_version, staged, message_ids) "
                + "VALUES (?, ?, ?, ?, ?::pg_lsn, ?, tstzrange(?, ?, '[]'), ?) ON CONFLICT (slot, batch) DO NOTHING")) {
            insert.setString(1, session.lease().slot());
            insert.setLong(2, batch.batch());
            insert.setInt(3, batch.attempt());
            insert.setLong(4, session.lease().fence());
            insert.setString(5, batch.position().toString());
            insert.setString(6, batch.catalogVersion());
            insert.setObject(7, utc(batch.firstStaged()));
            insert.setObject(8, utc(batch.lastStaged()));
            insert.setArray(
                    9, connection.createArrayOf("uuid", batch.messageIds().toArray()));
            return insert.executeUpdate() == 1;
        }
    }

    private boolean isThere(Connection connection, DispatchedBatch batch) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(
                "SELECT FROM outbox.dispatch_batch WHERE slot = ? AND batch = ? AND message_ids = ?")) {
            query.setString(1, session.lease().slot());
            query.setLong(2, batch.batch());
            query.setArray(
                    3, connection.createArrayOf("uuid", batch.messageIds().toArray()));
            try (ResultSet rows = query.executeQuery()) {
                return rows.next();
            }
        }
    }

    private static OffsetDateTime utc(Instant instant) {
        return instant.atOffset(ZoneOffset.UTC);
    }
}
