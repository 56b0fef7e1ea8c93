package dev.posthaste.relay.source;

import java.nio.ByteBuffer;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.source.SourceRecord;
import org.jspecify.annotations.Nullable;

import dev.posthaste.schemas.Payload;

/**
 * Reads what Debezium's records say. A record's source offset tells the transaction ({@code txId}) and the end of the
 * last committed one before it ({@code lsn_commit}, absent until the first COMMIT after the start).
 */
final class RecordReader {

    private final String outboxTopic;

    RecordReader(String topicPrefix) {
        this.outboxTopic = topicPrefix + ".outbox.message";
    }

    boolean isOutboxRow(SourceRecord sourceRecord) {
        return outboxTopic.equals(sourceRecord.topic());
    }

    long xid(SourceRecord sourceRecord) {
        Long xid = number(sourceRecord, "txId");
        if (xid == null) {
            throw new IllegalStateException(
                    "an outbox row came without its transaction id; the engine's contract has changed");
        }
        return xid;
    }

    @Nullable
    Lsn lastCommit(SourceRecord sourceRecord) {
        Long lsn = number(sourceRecord, "lsn_commit");
        return lsn == null ? null : new Lsn(lsn);
    }

    /**
     * Reads the row.
     *
     * @throws UnreadableRowException if a column is missing or holds what the relay does not know, such as a time of
     *     infinity
     */
    OutboxRow row(SourceRecord sourceRecord) {
        Struct after = ((Struct) sourceRecord.value()).getStruct("after");
        try {
            return row(after);
        } catch (DataException | DateTimeException | ClassCastException e) {
            throw new UnreadableRowException(
                    "message " + after.getString("id") + " cannot be read: " + e.getMessage(), e);
        }
    }

    private static OutboxRow row(Struct after) {
        String kind = text(after, "kind");
        String type = text(after, "type");
        Integer version = (Integer) after.getWithoutDefault("schema_version");
        String tenant = text(after, "tenant");
        String occurredAt = text(after, "occurred_at");
        String contentType = text(after, "content_type");
        Payload payload = payload(after);
        UUID id = UUID.fromString(after.getString("id"));
        Instant createdAt = instant("created_at", after.getString("created_at"));
        if (kind == null
                || type == null
                || version == null
                || tenant == null
                || occurredAt == null
                || contentType == null
                || payload == null) {
            return incomplete(after, id, createdAt);
        }
        return new OutboxRow(
                id,
                kind,
                type,
                version,
                after.getString("key"),
                tenant,
                instant("occurred_at", occurredAt),
                contentType,
                payload,
                after.getString("headers"),
                createdAt);
    }

    /** Decoded, but not as the table's constraints have it: for the quarantine, with its fault and little else. */
    private static OutboxRow incomplete(Struct after, UUID id, Instant createdAt) {
        List<String> nulls = new ArrayList<>();
        for (String column : List.of("kind", "type", "schema_version", "tenant", "occurred_at", "content_type")) {
            if (after.getWithoutDefault(column) == null) {
                nulls.add(column);
            }
        }
        if (after.get("payload") == null && after.get("payload_bytes") == null) {
            nulls.add("payload and payload_bytes");
        }
        String type = text(after, "type");
        Integer version = (Integer) after.getWithoutDefault("schema_version");
        return new OutboxRow(
                id,
                "",
                type == null ? "" : type,
                version == null ? 0 : version,
                after.getString("key"),
                "",
                createdAt,
                "",
                new Payload.Bytes(new byte[0]),
                null,
                createdAt,
                "null where none may be: " + String.join(", ", nulls) + "; were the table's constraints dropped?");
    }

    /** What the row has: Connect would fill in the column's default for a null. */
    private static @Nullable String text(Struct after, String column) {
        return (String) after.getWithoutDefault(column);
    }

    private static @Nullable Payload payload(Struct after) {
        String json = after.getString("payload");
        if (json != null) {
            return new Payload.Json(json);
        }
        byte[] bytes = bytes(after);
        return bytes == null ? null : new Payload.Bytes(bytes);
    }

    private static Instant instant(String column, String text) {
        try {
            return ZonedDateTime.parse(text).toInstant();
        } catch (DateTimeException e) {
            throw new DateTimeException(column + " is " + text + ", which is no date", e);
        }
    }

    private static byte @Nullable [] bytes(Struct row) {
        Object value = row.get("payload_bytes");
        if (value == null || value instanceof byte[]) {
            return (byte[]) value;
        }
        ByteBuffer buffer = ((ByteBuffer) value).duplicate();
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }

    private static @Nullable Long number(SourceRecord sourceRecord, String key) {
        Map<String, ?> offset = sourceRecord.sourceOffset();
        Object value = offset == null ? null : offset.get(key);
        return value instanceof Number number ? Long.valueOf(number.longValue()) : null;
    }
}
