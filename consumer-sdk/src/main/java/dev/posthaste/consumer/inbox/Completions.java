package dev.posthaste.consumer.inbox;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/** The statements that complete deliveries which did not complete at once. Immutable and thread-safe. */
final class Completions {

    private static final String COMPLETE = """
            UPDATE inbox.delivery d SET state = 'completed', attempt = a.attempt, completed_at = clock_timestamp(),
                   next_attempt = NULL, lease_owner = NULL, lease_expires_at = NULL, code = NULL
            FROM unnest(?::text[], ?::uuid[], ?::timestamptz[], ?::int[]) AS a(tenant, message_id, staged_at, attempt)
            WHERE d.handler = ? AND d.tenant = a.tenant AND d.message_id = a.message_id AND d.staged_at = a.staged_at""";

    private static final String TELL = """
            INSERT INTO inbox.journal (handler, tenant, message_id, staged_at, attempt, outcome, host)
            SELECT ?, a.tenant, a.message_id, a.staged_at, a.attempt, 'completed', ?
            FROM unnest(?::text[], ?::uuid[], ?::timestamptz[], ?::int[]) AS a(tenant, message_id, staged_at, attempt)""";

    private static final String FORGET = """
            DELETE FROM inbox.outgoing o USING unnest(?::text[], ?::uuid[], ?::timestamptz[]) AS a(tenant, message_id, staged_at)
            WHERE o.handler = ? AND o.tenant = a.tenant AND o.message_id = a.message_id AND o.staged_at = a.staged_at
            RETURNING o.blocked_key""";

    /**
     * So many that a key with a long queue drains at the speed of chunks, and few enough to be put back if one fails.
     */
    private static final String CALL_NEXT = """
            UPDATE inbox.outgoing SET emit_at = clock_timestamp()
            WHERE handler = ? AND emit_at IS NULL AND route = 'retry' AND place IN (
                SELECT place FROM inbox.outgoing WHERE handler = ? AND blocked_key = ? ORDER BY place LIMIT 50)""";

    private static final String CALL_ORPHANS = """
            UPDATE inbox.outgoing o SET emit_at = clock_timestamp()
            WHERE o.handler = ? AND o.blocked_key IS NOT NULL AND o.route = 'retry' AND o.emit_at IS NULL
              AND NOT EXISTS (SELECT FROM inbox.outgoing p
                              WHERE p.handler = o.handler AND p.blocked_key = o.blocked_key AND p.place < o.place)""";

    private final String handler;
    private final String host;

    Completions(String handler, String host) {
        this.handler = handler;
        this.host = host;
    }

    private record Completed(DeliveryId id, int attempt) {}

    /** Completes those granted over a row that was there before. */
    void complete(Connection connection, List<Arrival> arrivals, Map<Long, Verdict.Run> granted) throws SQLException {
        List<Completed> completed = new ArrayList<>();
        for (Arrival arrival : arrivals) {
            Verdict.Run run = granted.get(arrival.offset());
            if (run != null) {
                completed.add(new Completed(arrival.id(), run.attempt()));
            }
        }
        if (completed.isEmpty()) {
            return;
        }
        try (PreparedStatement update = connection.prepareStatement(COMPLETE)) {
            int next = SqlArrays.bindIds(update, 1, completed, Completed::id);
            update.setArray(next, SqlArrays.of(connection, "int4", completed, Completed::attempt));
            update.setString(next + 1, handler);
            update.executeUpdate();
        }
        tell(connection, completed.stream().filter(one -> one.attempt() > 1).toList());
        forget(connection, completed.stream().map(Completed::id).toList());
    }

    /** Of those that a failure has gone before. */
    private void tell(Connection connection, List<Completed> completed) throws SQLException {
        if (completed.isEmpty()) {
            return;
        }
        try (PreparedStatement insert = connection.prepareStatement(TELL)) {
            insert.setString(1, handler);
            insert.setString(2, host);
            int next = SqlArrays.bindIds(insert, 3, completed, Completed::id);
            insert.setArray(next, SqlArrays.of(connection, "int4", completed, Completed::attempt));
            insert.executeUpdate();
        }
    }

    /** Drops the kept records and lets go whoever waits behind them. */
    void forget(Connection connection, List<DeliveryId> deliveries) throws SQLException {
        Map<String, byte[]> keys = new HashMap<>();
        try (PreparedStatement delete = connection.prepareStatement(FORGET)) {
            int next = SqlArrays.bindIds(delete, 1, deliveries, id -> id);
            delete.setString(next, handler);
            try (ResultSet rows = delete.executeQuery()) {
                while (rows.next()) {
                    byte @Nullable [] key = rows.getBytes(1);
                    if (key != null) {
                        keys.put(new String(key, StandardCharsets.ISO_8859_1), key);
                    }
                }
            }
        }
        for (byte[] key : new ArrayList<>(keys.values())) {
            callNext(connection, key);
        }
    }

    /** Lets the next messages of a key go, in order; the claim puts back what comes too early. */
    void callNext(Connection connection, byte[] key) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(CALL_NEXT)) {
            update.setString(1, handler);
            update.setString(2, handler);
            update.setBytes(3, key);
            update.executeUpdate();
        }
    }

    int callOrphans(Connection connection) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(CALL_ORPHANS)) {
            update.setString(1, handler);
            return update.executeUpdate();
        }
    }
}
