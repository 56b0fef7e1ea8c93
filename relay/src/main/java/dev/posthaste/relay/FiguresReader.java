package dev.posthaste.relay;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

import dev.posthaste.relay.health.OutboxFigures;
import dev.posthaste.relay.health.OutboxFigures.Pending;
import dev.posthaste.schemas.catalog.Catalog;
import dev.posthaste.schemas.catalog.HandlerRecord;

/** Reads the figures behind the gauges: three queries, each bounded by what is not settled yet, and in time. */
final class FiguresReader {

    private static final int TIMEOUT_SECONDS = (int) Duration.ofSeconds(10).toSeconds();

    private final String slot;
    private final Catalog catalog;
    private final SlotAge slotAge = new SlotAge();

    FiguresReader(String slot, Catalog catalog) {
        this.slot = slot;
        this.catalog = catalog;
    }

    OutboxFigures read(Connection connection) throws SQLException {
        Map<String, Pending> pendingByHandler = new HashMap<>();
        catalog.handlers().forEach(handler -> pendingByHandler.put(handler.handler(), Pending.NONE));
        Pending pending = pending(connection, pendingByHandler);
        Map<String, Long> quarantined = new HashMap<>();
        long failed = quarantined(connection, quarantined);
        long open = quarantined.values().stream().mapToLong(Long::longValue).sum();
        try (PreparedStatement query = prepare(
                connection,
                "SELECT coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0'), 0)::bigint, "
                        + "coalesce(pg_wal_lsn_diff(s.confirmed_flush_lsn, '0/0'), 0)::bigint, "
                        + "coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), s.restart_lsn), 0)::bigint "
                        + "FROM (SELECT) one LEFT JOIN pg_replication_slots s ON s.slot_name = ?")) {
            query.setString(1, slot);
            try (ResultSet row = query.executeQuery()) {
                row.next();
                long written = row.getLong(1);
                long acknowledged = row.getLong(2);
                double age = slotAge.seconds(System.nanoTime(), written, acknowledged);
                return new OutboxFigures(
                        pending,
                        pendingByHandler,
                        quarantined,
                        failed,
                        open - failed,
                        Math.max(0, written - acknowledged),
                        // What a former leader left is older than anything this one has seen.
                        Math.max(age, pending.oldestSeconds()),
                        row.getLong(3));
            }
        }
    }

    /** Returns what waits altogether; adds each handler's share. */
    private Pending pending(Connection connection, Map<String, Pending> byHandler) throws SQLException {
        try (PreparedStatement query = prepare(
                        connection,
                        "SELECT type, schema_version, messages, "
                                + "greatest(extract(epoch FROM clock_timestamp() - oldest_created_at), 0)::float8 FROM outbox.pending_by_type()");
                ResultSet rows = query.executeQuery()) {
            Pending all = Pending.NONE;
            while (rows.next()) {
                Pending share = new Pending(rows.getLong(3), rows.getDouble(4));
                all = all.and(share);
                for (HandlerRecord handler : catalog.handlersOf(rows.getString(1), rows.getInt(2))) {
                    byHandler.merge(handler.handler(), share, Pending::and);
                }
            }
            return all;
        }
    }

    /** Returns how many open ones are tried again; adds all open ones by handler. */
    private static long quarantined(Connection connection, Map<String, Long> byHandler) throws SQLException {
        try (PreparedStatement query = prepare(
                        connection,
                        "SELECT handler, count(*), count(next_attempt) FROM outbox.quarantined "
                                + "WHERE state = 'quarantined' GROUP BY handler");
                ResultSet rows = query.executeQuery()) {
            long failed = 0;
            while (rows.next()) {
                byHandler.put(rows.getString(1), rows.getLong(2));
                failed += rows.getLong(3);
            }
            return failed;
        }
    }

    private static PreparedStatement prepare(Connection connection, String sql) throws SQLException {
        PreparedStatement query = connection.prepareStatement(sql);
        query.setQueryTimeout(TIMEOUT_SECONDS);
        return query;
    }
}
