package dev.posthaste.consumer.inbox;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;

/** The statements that count; each ends after a few seconds. Immutable and thread-safe. */
final class Figures {

    private static final int TIMEOUT_SECONDS = 5;

    private static final String BY_STATE =
            "SELECT state, count(*) FROM inbox.delivery WHERE handler = ? AND state <> 'completed' GROUP BY state";

    /** State by state with constants, so that each reads the first entry of an index. */
    private static final String OLDEST = """
            SELECT coalesce(greatest(extract(epoch FROM clock_timestamp() - min(oldest.staged_at)), 0), 0) FROM (
                (SELECT staged_at FROM inbox.delivery WHERE handler = ? AND state = 'pending' ORDER BY staged_at LIMIT 1)
                UNION ALL
                (SELECT staged_at FROM inbox.delivery WHERE handler = ? AND state = 'processing' ORDER BY staged_at LIMIT 1)
                UNION ALL
                (SELECT staged_at FROM inbox.delivery WHERE handler = ? AND state = 'failed' ORDER BY staged_at LIMIT 1)) AS oldest""";

    private static final String OUTGOING =
            "SELECT route, count(*) FROM inbox.outgoing WHERE handler = ? AND emit_at IS NOT NULL GROUP BY route";

    private final String handler;

    Figures(String handler) {
        this.handler = handler;
    }

    Map<String, Long> byState(Connection connection) throws SQLException {
        return counts(connection, BY_STATE);
    }

    Waiting waiting(Connection connection) throws SQLException {
        Map<String, Long> byName = counts(connection, OUTGOING);
        Map<InboxStore.Route, Long> byRoute = new EnumMap<>(InboxStore.Route.class);
        for (InboxStore.Route route : InboxStore.Route.values()) {
            byRoute.put(route, byName.getOrDefault(route.wireName(), 0L));
        }
        return new Waiting(oldestSeconds(connection), byRoute);
    }

    private double oldestSeconds(Connection connection) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(OLDEST)) {
            query.setQueryTimeout(TIMEOUT_SECONDS);
            query.setString(1, handler);
            query.setString(2, handler);
            query.setString(3, handler);
            try (ResultSet row = query.executeQuery()) {
                row.next();
                return row.getDouble(1);
            }
        }
    }

    private Map<String, Long> counts(Connection connection, String sql) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(sql)) {
            query.setQueryTimeout(TIMEOUT_SECONDS);
            query.setString(1, handler);
            Map<String, Long> counts = new HashMap<>();
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    counts.put(rows.getString(1), rows.getLong(2));
                }
            }
            return counts;
        }
    }
}
