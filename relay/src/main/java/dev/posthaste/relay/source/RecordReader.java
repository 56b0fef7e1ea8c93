package dev.posthaste.relay.source;

import java.nio.ByteBuffer;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZonedDateTime;
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
     * Reads the row. What is null and must not be is noted in it, so that it can be set aside for that.
     *
     * @throws UnreadableRowException if a column is not published or holds what the relay does not know, such as a time
     *     of infinity
     */
    OutboxRow row(SourceRecord sourceRecord) {
        Struct after = ((Struct) sourceRecord.value()).getStruct("after");
        try {
            return row(after);
        } catch (DataException | DateTimeException e) {
            throw new UnreadableRowException(
                    "message " + after.getString("id") + " cannot be read: " + e.getMessage(), e);
        }
    }

    /** Only by getters that name the type: for a null, {@link Struct#get} gives the column's default. */
    private static OutboxRow row(Struct after) {
        return OutboxRow.read(
                UUID.fromString(after.getString("id")),
                after.getString("kind"),
                after.getString("type"),
                after.getInt32("schema_version"),
                after.getString("key"),
                after.getString("tenant"),
                after.getString("occurred_at") == null ? null : instant(after, "occurred_at"),
                after.getString("content_type"),
                payload(after),
                after.getString("headers"),
                instant(after, "created_at"));
    }

    private static Instant instant(Struct row, String column) {
        try {
            return ZonedDateTime.parse(row.getString(column)).toInstant();
        } catch (DateTimeException e) {
            throw new DateTimeException(column + " is " + row.getString(column) + ", which is no date", e);
        }
    }

    private static @Nullable Payload payload(Struct row) {
        String json = row.getString("payload");
        if (json != null) {
            return new Payload.Json(json);
        }
        Object value = row.get("payload_bytes");
        if (value == null) {
            return null;
        }
        return new Payload.Bytes(value instanceof byte[] array ? array : bytes((ByteBuffer) value));
    }

    /** Of a buffer that is a whole array, that array: a copy of each large payload in hand would double the memory. */
    private static byte[] bytes(ByteBuffer value) {
        if (value.hasArray()
                && value.arrayOffset() == 0
                && value.position() == 0
                && value.remaining() == value.array().length) {
            return value.array();
        }
        byte[] bytes = new byte[value.remaining()];
        value.duplicate().get(bytes);
        return bytes;
    }

    private static @Nullable Long number(SourceRecord sourceRecord, String key) {
        Map<String, ?> offset = sourceRecord.sourceOffset();
        Object value = offset == null ? null : offset.get(key);
        return value instanceof Number number ? Long.valueOf(number.longValue()) : null;
    }
}
