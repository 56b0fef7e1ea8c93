package dev.posthaste.consumer;

import java.sql.SQLException;

/** Deliveries that wait for their second attempt, as many failures would leave them. */
final class WaitingRows {

    private WaitingRows() {}

    /**
     * Writes them.
     *
     * @param bytes about the size of each record
     * @param dueIn when they are due, as PostgreSQL writes intervals
     */
    static void insert(Scene scene, String handler, int count, int bytes, String dueIn) throws SQLException {
        scene.execute("""
                CREATE TABLE waiting AS
                    SELECT gen_random_uuid() AS id, date_trunc('second', now()) + n * interval '1 microsecond' AS staged_at, n
                    FROM generate_series(1, %2$d) AS n;
                INSERT INTO inbox.delivery (handler, message_id, staged_at, state, attempt, next_attempt, last_error, code,
                                            record_topic, record_partition, record_offset)
                SELECT '%1$s', id, staged_at, 'failed', 1, now() + interval '%4$s', 'failed', 'IllegalStateException',
                       '%5$s.%1$s', 0, n FROM waiting;
                INSERT INTO inbox.outgoing (handler, message_id, staged_at, route, emit_at, record_key, record_value,
                                            header_names, header_values)
                SELECT '%1$s', id, staged_at, 'retry', now() + interval '%4$s', convert_to('member-' || n, 'UTF8'),
                       convert_to(format('{"member": "member-%%s", "n": %%s, "text": "%%s"}', n, n, repeat('x', %3$d)), 'UTF8'),
                       ARRAY[convert_to('ce_id', 'UTF8'), convert_to('ce_type', 'UTF8'), convert_to('ce_time', 'UTF8'),
                             convert_to('content-type', 'UTF8'), convert_to('posthaste_kind', 'UTF8'),
                             convert_to('posthaste_schema_version', 'UTF8'), convert_to('posthaste_staged_at', 'UTF8')],
                       ARRAY[convert_to(id::text, 'UTF8'), convert_to('%6$s', 'UTF8'), convert_to('2026-01-02T03:04:05Z', 'UTF8'),
                             convert_to('application/json', 'UTF8'), convert_to('integration-event', 'UTF8'),
                             convert_to('1', 'UTF8'),
                             convert_to(to_char(staged_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), 'UTF8')]
                FROM waiting;
                ANALYZE""".formatted(handler, count, bytes, dueIn, scene.namespace, Loan.TYPE));
    }
}
