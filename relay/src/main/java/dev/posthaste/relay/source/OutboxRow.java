package dev.posthaste.relay.source;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

import dev.posthaste.schemas.Payload;

/**
 * One committed row of {@code outbox.message}, as the WAL has it. Its fields are the table's columns; headers are the
 * JSON text. {@code toString} keeps key, headers and payload to itself.
 *
 * @param missing columns that are null and must not be, which somebody has taken the table's rules off; something empty
 *     stands in their place
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
        List<String> missing) {

    private static final Payload NO_PAYLOAD = new Payload.Bytes(new byte[0]);

    /** A row that has all it needs. */
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
        this(
                id,
                kind,
                type,
                schemaVersion,
                key,
                tenant,
                occurredAt,
                contentType,
                payload,
                headers,
                createdAt,
                List.of());
    }

    /** A row as it is read, which may lack what it must have. */
    static OutboxRow read(
            UUID id,
            @Nullable String kind,
            @Nullable String type,
            @Nullable Integer schemaVersion,
            @Nullable String key,
            @Nullable String tenant,
            @Nullable Instant occurredAt,
            @Nullable String contentType,
            @Nullable Payload payload,
            @Nullable String headers,
            Instant createdAt) {
        List<String> missing = new ArrayList<>(0);
        return new OutboxRow(
                id,
                orElse(kind, "", "kind", missing),
                orElse(type, "", "type", missing),
                orElse(schemaVersion, 0, "schema_version", missing),
                key,
                orElse(tenant, "", "tenant", missing),
                orElse(occurredAt, Instant.EPOCH, "occurred_at", missing),
                orElse(contentType, "", "content_type", missing),
                orElse(payload, NO_PAYLOAD, "payload", missing),
                headers,
                createdAt,
                missing);
    }

    private static <T> T orElse(@Nullable T value, T otherwise, String column, List<String> missing) {
        if (value != null) {
            return value;
        }
        missing.add(column);
        return otherwise;
    }

    /** About how much memory and Kafka record size the row takes, in bytes. */
    public int sizeBytes() {
        int fixed = 512;
        // Its characters, not its bytes: these would have to be made to be counted.
        int size = payload instanceof Payload.Json json ? json.text().length() : payload.bytes().length;
        return fixed + size + (headers == null ? 0 : headers.length()) + (key == null ? 0 : key.length());
    }

    @Override
    public String toString() {
        return "OutboxRow[" + id + ", " + type + " v" + schemaVersion + ", " + payload + "]";
    }
}
