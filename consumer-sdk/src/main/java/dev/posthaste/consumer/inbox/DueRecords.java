package dev.posthaste.consumer.inbox;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;

/**
 * The statements of the poller. A record is taken by moving its time ahead; what has moved it since, a new failure
 * above all, is not overwritten. Immutable and thread-safe.
 */
final class DueRecords {

    /** A retry that was emitted and not run by then is emitted again: its topic may have lost it to its retention. */
    private static final Duration EMIT_AGAIN_AFTER = Duration.ofMinutes(10);

    /**
     * At most so many, and of large ones fewer: the first, and more until 4 MiB are full. The time is that of the
     * statement, which an index can be searched by, and the number stands in the text, so that a plan for any value
     * still knows that it is small: else each look would read all that wait. One whose delivery somebody has removed is
     * put off, so that it stands in nobody's way.
     */
    private static final String TAKE = """
            WITH locked AS (
                SELECT handler, tenant, message_id, staged_at, emit_at, place, coalesce(octet_length(record_value), 0) AS bytes
                FROM inbox.outgoing
                WHERE handler = ? AND route = ? AND emit_at <= statement_timestamp()
                ORDER BY emit_at, place LIMIT %d FOR UPDATE SKIP LOCKED),
            due AS (
                SELECT * FROM (SELECT *, sum(bytes) OVER (ORDER BY emit_at, place) - bytes AS bytes_before FROM locked) AS l
                WHERE bytes_before < 4194304)
            UPDATE inbox.outgoing o SET emit_at = clock_timestamp()
                + CASE WHEN d.attempt IS NULL THEN interval '1 hour' ELSE ? * interval '1 millisecond' END
            FROM due LEFT JOIN inbox.delivery d USING (handler, tenant, message_id, staged_at)
            WHERE o.handler = due.handler AND o.tenant = due.tenant AND o.message_id = due.message_id
              AND o.staged_at = due.staged_at
            RETURNING o.tenant, o.message_id, o.staged_at, o.place, o.emit_at, d.attempt, o.emit_failures, d.code, d.last_error,
                      d.record_topic, d.record_partition, d.record_offset,
                      o.record_key, o.record_value, o.header_names, o.header_values, o.replay_id, o.last_trace""";

    /** But for those that are being run by now: their rows are locked for as long as a handler takes. */
    private static final String EMITTED = """
            WITH free AS (
                SELECT o.handler, o.tenant, o.message_id, o.staged_at
                FROM unnest(?::text[], ?::uuid[], ?::timestamptz[], ?::timestamptz[])
                    AS a(tenant, message_id, staged_at, taken_until)
                JOIN inbox.outgoing o ON o.handler = ? AND o.tenant = a.tenant AND o.message_id = a.message_id
                    AND o.staged_at = a.staged_at AND o.emit_at = a.taken_until
                FOR UPDATE OF o SKIP LOCKED)
            UPDATE inbox.outgoing o SET emitted_at = clock_timestamp(), emit_failures = 0, emit_error = NULL,
                   emit_at = CASE WHEN o.route = 'retry' THEN clock_timestamp() + ? * interval '1 millisecond' END
            FROM free f
            WHERE o.handler = f.handler AND o.tenant = f.tenant AND o.message_id = f.message_id
              AND o.staged_at = f.staged_at""";

    private static final String NOT_EMITTED = """
            UPDATE inbox.outgoing SET emit_failures = emit_failures + 1, emit_error = ?,
                   emit_at = clock_timestamp() + ? * interval '1 millisecond'
            WHERE handler = ? AND tenant = ? AND message_id = ? AND staged_at = ? AND emit_at = ?""";

    private final String handler;

    DueRecords(String handler) {
        this.handler = handler;
    }

    List<DueRecord> take(Connection connection, InboxStore.Route route, int max, Duration lease) throws SQLException {
        try (PreparedStatement take = connection.prepareStatement(TAKE.formatted(max))) {
            take.setString(1, handler);
            take.setString(2, route.wireName());
            take.setLong(3, lease.toMillis());
            List<DueRecord> taken = new ArrayList<>();
            try (ResultSet rows = take.executeQuery()) {
                while (rows.next()) {
                    if (rows.getObject(6) != null) {
                        taken.add(record(rows));
                    }
                }
            }
            taken.sort(Comparator.comparingLong(DueRecord::place));
            return taken;
        }
    }

    private static DueRecord record(ResultSet row) throws SQLException {
        DeliveryId id = new DeliveryId(
                row.getString(1),
                row.getObject(2, UUID.class),
                row.getObject(3, OffsetDateTime.class).toInstant());
        return new DueRecord(
                id,
                row.getLong(4),
                row.getObject(5, OffsetDateTime.class),
                row.getInt(6),
                row.getInt(7),
                row.getString(8),
                row.getString(9),
                row.getString(10),
                row.getInt(11),
                row.getLong(12),
                row.getObject(17, UUID.class),
                new StoredRecord(row.getBytes(13), row.getBytes(14), headers(row.getArray(15), row.getArray(16))),
                row.getString(18));
    }

    private static List<StoredRecord.Header> headers(Array names, Array values) throws SQLException {
        byte[][] allNames = (byte[][]) names.getArray();
        byte[][] allValues = (byte[][]) values.getArray();
        List<StoredRecord.Header> headers = new ArrayList<>();
        for (int i = 0; i < allNames.length; i++) {
            headers.add(new StoredRecord.Header(HeaderNames.decode(allNames[i]), allValues[i]));
        }
        return headers;
    }

    void emitted(Connection connection, List<DueRecord> records) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(EMITTED)) {
            int next = SqlArrays.bindIds(update, 1, records, DueRecord::id);
            update.setArray(next, SqlArrays.of(connection, "timestamptz", records, record -> record.takenUntil()
                    .toString()));
            update.setString(next + 1, handler);
            update.setLong(next + 2, EMIT_AGAIN_AFTER.toMillis());
            update.executeUpdate();
        }
    }

    void notEmitted(Connection connection, DueRecord record, String error, Duration delay) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(NOT_EMITTED)) {
            update.setString(1, error.replace('\0', '?'));
            update.setLong(2, delay.toMillis());
            int next = SqlArrays.bindId(update, 3, handler, record.id());
            update.setObject(next, record.takenUntil());
            update.executeUpdate();
        }
    }
}
