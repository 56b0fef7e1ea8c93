package dev.posthaste.consumer.inbox;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.List;

import org.jspecify.annotations.Nullable;

import dev.posthaste.schemas.MessageHeaders;

/** The statements that write down failed attempts and keep their records. Immutable and thread-safe. */
final class Failures {

    /** Refused where another worker has got further: the row then tells of a later attempt, or is completed. */
    private static final String FAIL = """
            INSERT INTO inbox.delivery AS d (handler, tenant, message_id, staged_at, state, attempt, forgiven, next_attempt,
                                             last_error, code, record_topic, record_partition, record_offset)
            VALUES (?, ?, ?, ?, ?, ?, ?, clock_timestamp() + ? * interval '1 millisecond', ?, ?, ?, ?, ?)
            ON CONFLICT (handler, tenant, message_id, staged_at) DO UPDATE
            SET state = excluded.state, attempt = excluded.attempt, forgiven = excluded.forgiven,
                next_attempt = excluded.next_attempt, last_error = excluded.last_error, code = excluded.code,
                lease_owner = NULL, lease_expires_at = NULL,
                record_topic = CASE WHEN ? THEN excluded.record_topic ELSE d.record_topic END,
                record_partition = CASE WHEN ? THEN excluded.record_partition ELSE d.record_partition END,
                record_offset = CASE WHEN ? THEN excluded.record_offset ELSE d.record_offset END
            WHERE CASE WHEN ?::text IS NOT NULL
                       THEN d.state = 'processing' AND d.lease_owner = ? AND d.fence = ?
                       ELSE d.state <> 'completed'
                            AND (d.attempt < excluded.attempt OR (d.state = 'processing' AND d.attempt = excluded.attempt)) END
            RETURNING next_attempt""";

    /**
     * A released message takes the place of its marker, which has no payload; else the record stays as it came first.
     */
    private static final String KEEP = """
            INSERT INTO inbox.outgoing AS o (handler, tenant, message_id, staged_at, route, blocked_key, emit_at,
                                             record_key, record_value, header_names, header_values, last_trace,
                                             dead_code, dead_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, CASE WHEN ? THEN clock_timestamp() END)
            ON CONFLICT (handler, tenant, message_id, staged_at) DO UPDATE
            SET route = excluded.route, blocked_key = excluded.blocked_key, emit_at = excluded.emit_at,
                emitted_at = NULL, emit_failures = 0, emit_error = NULL, dead_code = excluded.dead_code,
                dead_at = excluded.dead_at, last_trace = coalesce(excluded.last_trace, o.last_trace),
                record_value = CASE WHEN ? THEN excluded.record_value ELSE o.record_value END,
                header_names = CASE WHEN ? THEN excluded.header_names ELSE o.header_names END,
                header_values = CASE WHEN ? THEN excluded.header_values ELSE o.header_values END""";

    private static final String TELL = """
            INSERT INTO inbox.journal (handler, tenant, message_id, staged_at, attempt, outcome, code, summary, host)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)""";

    private static final String STORE_WAITING = """
            INSERT INTO inbox.delivery (handler, tenant, message_id, staged_at, state, attempt,
                                        record_topic, record_partition, record_offset)
            VALUES (?, ?, ?, ?, 'pending', 0, ?, ?, ?) ON CONFLICT DO NOTHING""";

    /**
     * It was let go too early, or its predecessor failed meanwhile: it is let go again when that one is done. Not where
     * this is the record that was kept, come again: that one tells nothing of whether it has been let go.
     */
    private static final String WAIT_ON = """
            UPDATE inbox.outgoing o SET emit_at = NULL FROM inbox.delivery d
            WHERE o.handler = ? AND o.tenant = ? AND o.message_id = ? AND o.staged_at = ? AND o.route = 'retry'
              AND d.handler = o.handler AND d.tenant = o.tenant AND d.message_id = o.message_id
              AND d.staged_at = o.staged_at AND d.state IN ('pending', 'failed')
              AND (d.record_topic, d.record_partition, d.record_offset) <> (?, ?, ?)""";

    private static final String COUNT_WAITING =
            "SELECT count(*) FROM (SELECT FROM inbox.outgoing WHERE handler = ? AND blocked_key = ? LIMIT ?) AS w";

    private final String handler;
    private final String host;
    private final Completions completions;

    Failures(String handler, String host, Completions completions) {
        this.handler = handler;
        this.host = host;
        this.completions = completions;
    }

    boolean fail(Connection connection, FailedAttempt failed) throws SQLException {
        boolean dead = failed.fate() instanceof Fate.DeadLetter;
        OffsetDateTime due = writeState(connection, failed, dead);
        if (due == null) {
            return false;
        }
        byte @Nullable [] key = failed.arrival().orderingKey();
        keep(
                connection,
                failed.arrival(),
                failed.record(),
                dead ? failed.code() : null,
                failed.blocks() ? key : null,
                due);
        tell(connection, failed, dead);
        if (key != null && !failed.blocks()) {
            completions.letGo(connection, List.of(key));
        }
        return true;
    }

    /** When it is due; null if nothing was written. */
    private @Nullable OffsetDateTime writeState(Connection connection, FailedAttempt failed, boolean dead)
            throws SQLException {
        Arrival arrival = failed.arrival();
        try (PreparedStatement write = connection.prepareStatement(FAIL)) {
            SqlArrays.bindId(write, 1, handler, arrival.id());
            write.setString(5, dead ? "dead-letter" : "failed");
            write.setInt(6, failed.attempt());
            write.setInt(7, failed.forgiven());
            write.setLong(
                    8, failed.fate() instanceof Fate.Retry retry ? retry.delay().toMillis() : 0);
            write.setString(9, failed.summary());
            write.setString(10, failed.code());
            write.setString(11, arrival.topic());
            write.setInt(12, arrival.partition());
            write.setLong(13, arrival.offset());
            ClaimLease lease = failed.lease();
            for (int i = 14; i <= 16; i++) {
                write.setBoolean(i, arrival.released());
            }
            write.setString(17, lease == null ? null : lease.owner());
            write.setString(18, lease == null ? null : lease.owner());
            write.setLong(19, lease == null ? 0 : lease.fence());
            try (ResultSet rows = write.executeQuery()) {
                return rows.next() ? rows.getObject(1, OffsetDateTime.class) : null;
            }
        }
    }

    private void keep(
            Connection connection,
            Arrival arrival,
            StoredRecord record,
            @Nullable String deadCode,
            byte @Nullable [] blockedKey,
            @Nullable OffsetDateTime emitAt)
            throws SQLException {
        try (PreparedStatement keep = connection.prepareStatement(KEEP)) {
            SqlArrays.bindId(keep, 1, handler, arrival.id());
            keep.setString(5, (deadCode != null ? InboxStore.Route.DEAD_LETTER : InboxStore.Route.RETRY).wireName());
            keep.setBytes(6, blockedKey);
            keep.setObject(7, emitAt);
            keep.setBytes(8, record.key());
            keep.setBytes(9, record.value());
            List<StoredRecord.Header> headers = record.headers();
            keep.setArray(10, SqlArrays.ofBytes(connection, headers, header -> HeaderNames.encode(header.name())));
            keep.setArray(11, SqlArrays.ofBytes(connection, headers, StoredRecord.Header::value));
            keep.setString(12, lastTrace(headers));
            keep.setString(13, deadCode);
            keep.setBoolean(14, deadCode != null);
            for (int i = 15; i <= 17; i++) {
                keep.setBoolean(i, arrival.released());
            }
            keep.executeUpdate();
        }
    }

    private static @Nullable String lastTrace(List<StoredRecord.Header> headers) {
        return headers.stream()
                .filter(header -> header.name().equals(MessageHeaders.PREVIOUS_TRACE) && header.value() != null)
                .map(header -> Printable.of(new String(header.value(), StandardCharsets.US_ASCII)))
                .findFirst()
                .orElse(null);
    }

    private void tell(Connection connection, FailedAttempt failed, boolean dead) throws SQLException {
        try (PreparedStatement tell = connection.prepareStatement(TELL)) {
            SqlArrays.bindId(tell, 1, handler, failed.arrival().id());
            tell.setInt(5, failed.attempt());
            tell.setString(6, dead ? "dead-letter" : "failed");
            tell.setString(7, failed.code());
            tell.setString(8, failed.summary());
            tell.setString(9, host);
            tell.executeUpdate();
        }
    }

    boolean keepBehind(Connection connection, Arrival arrival, StoredRecord record, int waitingMax)
            throws SQLException {
        byte[] key = arrival.orderingKey();
        if (key == null) {
            throw new IllegalArgumentException("only a message with a key can wait behind another");
        }
        try (PreparedStatement store = connection.prepareStatement(STORE_WAITING)) {
            SqlArrays.bindId(store, 1, handler, arrival.id());
            store.setString(5, arrival.topic());
            store.setInt(6, arrival.partition());
            store.setLong(7, arrival.offset());
            if (store.executeUpdate() == 0) {
                waitOn(connection, arrival);
                return true;
            }
        }
        if (waiting(connection, key, waitingMax) > waitingMax) { // the first of them waits behind nobody
            return false;
        }
        keep(connection, arrival, record, null, key, null);
        return true;
    }

    private void waitOn(Connection connection, Arrival arrival) throws SQLException {
        try (PreparedStatement wait = connection.prepareStatement(WAIT_ON)) {
            SqlArrays.bindId(wait, 1, handler, arrival.id());
            wait.setString(5, arrival.topic());
            wait.setInt(6, arrival.partition());
            wait.setLong(7, arrival.offset());
            wait.executeUpdate();
        }
    }

    private int waiting(Connection connection, byte[] key, int max) throws SQLException {
        try (PreparedStatement count = connection.prepareStatement(COUNT_WAITING)) {
            count.setString(1, handler);
            count.setBytes(2, key);
            count.setInt(3, max + 1);
            try (ResultSet rows = count.executeQuery()) {
                rows.next();
                return rows.getInt(1);
            }
        }
    }
}
