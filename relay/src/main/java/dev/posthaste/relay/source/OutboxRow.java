package dev.posthaste.relay.source;

import java.time.Instant;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

import dev.posthaste.schemas.Payload;

/**
 * One committed row of {@code outbox.message}, as the WAL has it. Its fields are the table's columns; headers are the
 * JSON text. {@code toString} keeps key, headers and payload to itself.
 *
 * @param fault what makes it unpublishable as a row: a column that is null and may not be, in a table whose constraints
 *     were dropped; null: nothing
 */
public record OutboxRow(
        UUID id,
        String kind,
        String type,
        int schemaVersion,
        @Nullable String key,
        String tenant,
        Instant occurredAt,
        String contentType,
        Payload payload,
        @Nullable String headers,
        Instant createdAt,
        @Nullable String fault) {

    /** A row as the table's constraints have it. */
    public OutboxRow(
            UUID id,
            String kind,
            String type,
            int schemaVersion,
            @Nullable String key,
            String tenant,
            Instant occurredAt,
            String contentType,
            Payload payload,
            @Nullable String headers,
            Instant createdAt) {
        this(id, kind, type, schemaVersion, key, tenant, occurredAt, contentType, payload, headers, createdAt, null);
    }

    /** About how much memory and Kafka record size the row takes, in bytes. */
    public int sizeBytes() {
        int fixed = 512;
        return fixed
                + payload.bytes().length
                + (headers == null ? 0 : headers.length())
                + (key == null ? 0 : key.length());
    }

    @Override
    public String toString() {
        return "OutboxRow[" + id + ", " + type + " v" + schemaVersion + ", " + payload + "]";
    }
}
