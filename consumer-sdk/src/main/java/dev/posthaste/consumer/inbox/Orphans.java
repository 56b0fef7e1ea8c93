package dev.posthaste.consumer.inbox;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Finds rows whose counterpart somebody has removed: the inbox itself writes and deletes both together. Stateless. */
public final class Orphans {

    /** Most of a kind that are looked for. */
    public static final int FOUND_MAX = 1_000;

    private Orphans() {}

    /** What is left alone. */
    public enum Kind {
        /** Deliveries that wait or are dead letters, without their record. */
        DELIVERY("""
                SELECT d.message_id FROM inbox.delivery d
                WHERE d.handler = ? AND d.state <> 'completed' AND d.state IN ('pending', 'failed', 'dead-letter')
                  AND NOT EXISTS (
                    SELECT FROM inbox.outgoing o WHERE o.handler = d.handler AND o.tenant = d.tenant
                    AND o.message_id = d.message_id AND o.staged_at = d.staged_at)
                LIMIT ?"""),
        /** Records without their delivery. */
        RECORD("""
                SELECT o.message_id FROM inbox.outgoing o
                WHERE o.handler = ? AND NOT EXISTS (
                    SELECT FROM inbox.delivery d WHERE d.handler = o.handler AND d.tenant = o.tenant
                    AND d.message_id = o.message_id AND d.staged_at = o.staged_at)
                LIMIT ?""");

        private final String find;

        Kind(String find) {
            this.find = find;
        }
    }

    /** Messages of a handler of which one row is left alone; {@link #FOUND_MAX} at most. */
    public static List<UUID> find(Connection connection, String handler, Kind kind) throws SQLException {
        try (PreparedStatement find = connection.prepareStatement(kind.find)) {
            find.setString(1, handler);
            find.setInt(2, FOUND_MAX);
            List<UUID> found = new ArrayList<>();
            try (ResultSet rows = find.executeQuery()) {
                while (rows.next()) {
                    found.add(rows.getObject(1, UUID.class));
                }
            }
            return found;
        }
    }
}
