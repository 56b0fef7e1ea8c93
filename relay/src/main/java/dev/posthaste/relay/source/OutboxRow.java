package dev.posthaste.relay.source;

import java.time.Instant;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

import dev.posthaste.schemas.Payload;

/**
 * One committed row of {@code outbox.message}, as the WAL has it. Its fields are the table's columns; headers are the
 * JSON text. {@code toString} keeps key, headers and payload to itself.
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
        Instant createdAt) {

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
