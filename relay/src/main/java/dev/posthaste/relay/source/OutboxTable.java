package dev.posthaste.relay.source;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Optional;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

import dev.posthaste.schemas.Payload;

/** Reads single messages from the table, for what is published outside the stream. The table knows no commit order. */
public final class OutboxTable {

    /** What {@link #read} reads, in this order. */
    public static final String COLUMNS =
            "kind, type, schema_version, key, tenant, occurred_at, content_type, payload::text, payload_bytes, headers::text";

    private OutboxTable() {}

    /** The message of that id, if retention has not dropped it. */
    public static Optional<OutboxRow> find(Connection connection, UUID id, Instant createdAt) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(
                "SELECT " + COLUMNS + " FROM outbox.message WHERE id = ? AND created_at = ?")) {
            query.setObject(1, id);
            query.setObject(2, createdAt.atOffset(ZoneOffset.UTC));
            try (ResultSet row = query.executeQuery()) {
                return row.next() ? Optional.of(read(row, id, createdAt, 0)) : Optional.empty();
            }
        }
    }

    /**
     * Reads the columns of a row.
     *
     * @param before how many columns stand before them
     */
    public static OutboxRow read(ResultSet row, UUID id, Instant createdAt, int before) throws SQLException {
        OffsetDateTime occurredAt = row.getObject(before + 6, OffsetDateTime.class);
        return OutboxRow.read(
                id,
                row.getString(before + 1),
                row.getString(before + 2),
                row.getObject(before + 3, Integer.class),
                row.getString(before + 4),
                row.getString(before + 5),
                occurredAt == null ? null : occurredAt.toInstant(),
                row.getString(before + 7),
                payload(row.getString(before + 8), row.getBytes(before + 9)),
                row.getString(before + 10),
                createdAt);
    }

    private static @Nullable Payload payload(@Nullable String json, byte @Nullable [] bytes) {
        if (json != null) {
            return new Payload.Json(json);
        }
        return bytes == null ? null : new Payload.Bytes(bytes);
    }
}
