package dev.posthaste.relay.source;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * A replication slot just made, with the snapshot it begins with: what the snapshot sees, the slot will not send, and
 * the other way round. The snapshot can be taken up by other transactions as long as this object is open. Not
 * thread-safe.
 */
public final class NewSlot implements AutoCloseable {

    private final Connection replication;
    private final String slot;
    private final Lsn consistentPoint;
    private final String snapshot;

    private NewSlot(Connection replication, String slot, Lsn consistentPoint, String snapshot) {
        this.replication = replication;
        this.slot = slot;
        this.consistentPoint = consistentPoint;
        this.snapshot = snapshot;
    }

    /** Makes the slot; waits until every transaction that runs now has ended. */
    public static NewSlot make(DatabaseSettings database, String slot) throws SQLException {
        Connection replication = database.connectForReplication("posthaste-slot");
        try (Statement statement = replication.createStatement();
                ResultSet made = statement.executeQuery(
                        "CREATE_REPLICATION_SLOT " + slot + " LOGICAL pgoutput (SNAPSHOT 'export', FAILOVER true)")) {
            made.next();
            return new NewSlot(
                    replication, slot, Lsn.parse(made.getString("consistent_point")), made.getString("snapshot_name"));
        } catch (SQLException e) {
            replication.close();
            throw e;
        }
    }

    /** Where the slot begins. */
    public Lsn consistentPoint() {
        return consistentPoint;
    }

    /** Begins a transaction that sees what the slot will not send; it must be the connection's first statement. */
    public void beginSnapshot(Connection connection) throws SQLException {
        connection.setAutoCommit(false);
        try (Statement begin = connection.createStatement()) {
            begin.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
            begin.execute("SET TRANSACTION SNAPSHOT '" + snapshot + "'");
        }
    }

    /** Drops the slot again. */
    public void drop() throws SQLException {
        try (Statement statement = replication.createStatement()) {
            statement.execute("DROP_REPLICATION_SLOT " + slot);
        }
    }

    @Override
    public void close() throws SQLException {
        replication.close();
    }
}
