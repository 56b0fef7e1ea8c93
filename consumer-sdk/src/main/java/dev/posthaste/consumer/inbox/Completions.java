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
     * Of each key whose first message waits for nobody any more: it, and those after it up to the first dead letter. At
     * most 50: so many that a key with a long queue drains at the speed of chunks, and few enough to be put back if one
     * fails. Where the first is on its way, or waits for its next attempt, nobody goes. All are due at the same moment,
     * so that the poller takes them in their order.
     */
    private static final String LET_GO = """
            UPDATE inbox.outgoing o SET emit_at = statement_timestamp()
            FROM keys CROSS JOIN LATERAL (
                SELECT place, bool_and(route = 'retry') OVER run AS free, first_value(emit_at) OVER run AS first_emit_at
                FROM (SELECT place, route, emit_at FROM inbox.outgoing w
                      WHERE w.handler = ? AND w.blocked_key = keys.key ORDER BY place LIMIT 50) AS first
                WINDOW run AS (ORDER BY place)) AS next
            WHERE o.handler = ? AND o.blocked_key = keys.key AND o.place = next.place
              AND next.free AND next.first_emit_at IS NULL AND o.emit_at IS NULL AND o.route = 'retry'""";

    private static final String LET_GO_OF_KEYS = "WITH keys AS (SELECT unnest(?::bytea[]) AS key) " + LET_GO;

    /** The first message of every key, by one step in the index for each. */
    private static final String LET_GO_OF_ALL = """
            WITH RECURSIVE every(key, waits) AS (
                (SELECT blocked_key, route = 'retry' AND emit_at IS NULL FROM inbox.outgoing
                 WHERE handler = ? AND blocked_key IS NOT NULL ORDER BY blocked_key, place LIMIT 1)
                UNION ALL
                SELECT later.key, later.waits FROM every CROSS JOIN LATERAL (
                    SELECT o.blocked_key AS key, o.route = 'retry' AND o.emit_at IS NULL AS waits FROM inbox.outgoing o
                    WHERE o.handler = ? AND o.blocked_key > every.key ORDER BY o.blocked_key, o.place LIMIT 1) AS later),
            keys AS (SELECT key FROM every WHERE waits)
            """ + LET_GO;

    private final String handler;
    private final String host;

    Completions(String handler, String host) {
        this.handler = handler;
        this.host = host;
    }

    private record Completed(DeliveryId id, int attempt) {}

    /** Completes those granted over a row that was there before, and drops their kept records. */
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
        drop(connection, completed.stream().map(Completed::id).toList());
    }

    /** What follows the completion of a leased delivery. */
    void completed(Connection connection, DeliveryId id, int attempt) throws SQLException {
        if (attempt > 1) {
            tell(connection, List.of(new Completed(id, attempt)));
        }
        forget(connection, List.of(id));
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
        letGo(connection, drop(connection, deliveries));
    }

    /** Drops the kept records; returns the keys for which they stood. */
    private List<byte[]> drop(Connection connection, List<DeliveryId> deliveries) throws SQLException {
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
        return new ArrayList<>(keys.values());
    }

    /** Lets the next messages of keys go, in order; the claim puts back what comes too early. */
    void letGo(Connection connection, List<byte[]> keys) throws SQLException {
        if (keys.isEmpty()) {
            return;
        }
        try (PreparedStatement update = connection.prepareStatement(LET_GO_OF_KEYS)) {
            update.setArray(1, SqlArrays.ofBytes(connection, keys, key -> key));
            update.setString(2, handler);
            update.setString(3, handler);
            update.executeUpdate();
        }
    }

    /** The same for every key; returns how many went. */
    int letGoOfAll(Connection connection) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(LET_GO_OF_ALL)) {
            for (int i = 1; i <= 4; i++) {
                update.setString(i, handler);
            }
            return update.executeUpdate();
        }
    }
}
