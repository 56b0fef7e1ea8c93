package dev.posthaste.relay;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;

import dev.posthaste.relay.health.OutboxFigures;

/** Reads the figures behind the gauges: three queries, each bounded by what is not settled yet. */
final class FiguresReader {

    private final Connection connection;
    private final String slot;

    FiguresReader(Connection connection, String slot) {
        this.connection = connection;
        this.slot = slot;
    }

    OutboxFigures read() throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(
                "SELECT p.messages, coalesce(extract(epoch FROM clock_timestamp() - p.oldest_created_at), 0)::float8, "
                        + "coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), s.confirmed_flush_lsn), 0)::bigint, "
                        + "coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), s.restart_lsn), 0)::bigint "
                        + "FROM outbox.pending_summary() p LEFT JOIN pg_replication_slots s ON s.slot_name = ?")) {
            query.setString(1, slot);
            try (ResultSet row = query.executeQuery()) {
                row.next();
                return new OutboxFigures(
                        row.getLong(1), row.getDouble(2), quarantined(), row.getLong(3), row.getLong(4));
            }
        }
    }

    private Map<String, Long> quarantined() throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(
                        "SELECT handler, count(*) FROM outbox.quarantined WHERE state = 'quarantined' GROUP BY handler");
                ResultSet rows = query.executeQuery()) {
            Map<String, Long> counts = new HashMap<>();
            while (rows.next()) {
                counts.put(rows.getString(1), rows.getLong(2));
            }
            return counts;
        }
    }
}
