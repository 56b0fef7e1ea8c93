package dev.posthaste.chaos.world;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * A standby that copies the slots of its primary, by its worker. The function {@code pg_sync_replication_slots()} would
 * not do under load: it drops a copy that cannot stay yet, and begins anew each time. Used by one thread.
 */
public final class SlotSync implements AutoCloseable {

    private final Connection session;

    SlotSync(Connection session) throws SQLException {
        this.session = session;
        try (Statement statement = session.createStatement()) {
            statement.execute("ALTER SYSTEM SET sync_replication_slots = on");
            statement.execute("SELECT pg_reload_conf()");
        }
    }

    /** Whether the standby has a copy of the slot that outlives a promotion. */
    public boolean isSynced(String slot) throws SQLException {
        try (Statement statement = session.createStatement();
                ResultSet row = statement.executeQuery("SELECT count(*) FROM pg_replication_slots"
                        + " WHERE synced AND NOT temporary AND slot_name = '" + slot + "'")) {
            row.next();
            return row.getInt(1) == 1;
        }
    }

    @Override
    public void close() throws SQLException {
        session.close();
    }
}
