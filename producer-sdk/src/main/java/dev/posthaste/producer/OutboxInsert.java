package dev.posthaste.producer;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.time.ZoneOffset;
import java.util.List;

import dev.posthaste.schemas.OutboxMessage;
import dev.posthaste.schemas.Payload;

/** The INSERT. Plain JDBC, so that it works through every pool's wrapper. */
final class OutboxInsert {

    /** Rows a driver is asked to hold at once. */
    private static final int BATCH_ROWS_MAX = 500;

    /** A cast of text to {@code json} keeps every byte. No RETURNING: a writer may not read. */
    private static final String SQL = """
            INSERT INTO outbox.message (id, kind, type, schema_version, key, tenant, occurred_at, content_type, \
            payload, payload_bytes, headers) \
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?::json, ?, ?::json)""";

    private OutboxInsert() {}

    static void into(Connection connection, List<OutboxRow> rows) throws SQLException {
        if (rows.isEmpty()) {
            return;
        }
        try (PreparedStatement insert = connection.prepareStatement(SQL)) {
            int waiting = 0;
            for (OutboxRow row : rows) {
                bind(insert, row);
                insert.addBatch();
                if (++waiting == BATCH_ROWS_MAX) {
                    insert.executeBatch();
                    waiting = 0;
                }
            }
            if (waiting > 0) {
                insert.executeBatch();
            }
        }
    }

    private static void bind(PreparedStatement insert, OutboxRow row) throws SQLException {
        OutboxMessage message = row.message();
        insert.setObject(1, row.id());
        insert.setString(2, message.kind().wireName());
        insert.setString(3, message.type());
        insert.setInt(4, message.schemaVersion());
        insert.setString(5, message.key());
        insert.setString(6, message.tenant());
        insert.setObject(7, row.occurredAt().atOffset(ZoneOffset.UTC));
        insert.setString(8, message.contentType());
        if (message.payload() instanceof Payload.Json json) {
            insert.setString(9, json.text());
            insert.setNull(10, Types.BINARY);
        } else {
            insert.setNull(9, Types.VARCHAR);
            insert.setBytes(10, message.payload().bytes());
        }
        insert.setString(11, row.headersJson());
    }
}
