package dev.posthaste.chaos.world;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * A session on a standby that copies slots of its primary. Always the same one: a copy that cannot stay yet is dropped
 * at the end of the session that made it, and under load it can stay only after some tries. Used by one thread.
 */
public final class SlotSync implements AutoCloseable {

    private final Connection session;

    SlotSync(Connection session) {
        this.session = session;
    }

    /** Copies, and says whether the standby has a copy of the slot that outlives a promotion. */
    public boolean isSynced(String slot) throws SQLException {
        try (Statement statement = session.createStatement()) {
            statement.execute("SELECT pg_sync_replication_slots()");
            try (ResultSet row = statement.executeQuery("SELECT count(*) FROM pg_replication_slots"
                    + " WHERE synced AND NOT temporary AND slot_name = '" + slot + "'")) {
                row.next();
                return row.getInt(1) == 1;
            }
        }
    }

    @Override
    public void close() throws SQLException {
        session.close();
    }
}
