package dev.posthaste.chaos.collect;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.UUID;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

import dev.posthaste.chaos.history.Entry;
import dev.posthaste.schemas.MessageHeaders;

/** Records of topics as entries of a history. */
final class Records {

    private Records() {}

    static Entry.Published published(String handler, ConsumerRecord<byte[], byte[]> record) {
        return new Entry.Published(
                handler,
                record.partition(),
                record.offset(),
                id(record),
                record.key() == null ? null : new String(record.key(), StandardCharsets.UTF_8),
                sha256(record.value()),
                isMarker(record),
                Instant.ofEpochMilli(record.timestamp()),
                record.headers().lastHeader(MessageHeaders.REPLAY) != null);
    }

    static Entry.DeadLetter deadLetter(String handler, ConsumerRecord<byte[], byte[]> record) {
        return new Entry.DeadLetter(handler, id(record), sha256(record.value()));
    }

    private static boolean isMarker(ConsumerRecord<byte[], byte[]> record) {
        return record.headers().lastHeader(MessageHeaders.QUARANTINED) != null;
    }

    private static @Nullable UUID id(ConsumerRecord<byte[], byte[]> record) {
        Header header = record.headers().lastHeader(MessageHeaders.CE_ID);
        if (header == null || header.value() == null) {
            return null;
        }
        try {
            return UUID.fromString(new String(header.value(), StandardCharsets.UTF_8));
        } catch (IllegalArgumentException e) {
            return null; // the checker says what it thinks of that
        }
    }

    /** Of nothing where there is no value, as on a marker. */
    private static String sha256(byte @Nullable [] value) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(value == null ? new byte[0] : value));
        } catch (NoSuchAlgorithmException e) { // every Java has it
            throw new IllegalStateException(e);
        }
    }
}
