package dev.posthaste.consumer.internal;

import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;

import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

import dev.posthaste.schemas.MessageHeaders;
import dev.posthaste.schemas.MessageKind;

/** What a record's headers say of its message. */
record Envelope(
        UUID id,
        MessageKind kind,
        String type,
        int schemaVersion,
        @Nullable String key,
        String tenant,
        Instant occurredAt,
        Instant stagedAt,
        String contentType,
        Map<String, String> userHeaders) {

    private static final int YEAR_MAX = 9999;
    private static final int CHARACTERS_TOLD_MAX = 100;

    static Envelope of(Headers headers) throws UnreadableException {
        Identity identity = identity(headers);
        return new Envelope(
                identity.id(),
                required(headers, MessageHeaders.KIND, MessageKind::ofWireName),
                required(headers, MessageHeaders.CE_TYPE, Function.identity()),
                required(headers, MessageHeaders.SCHEMA_VERSION, Integer::valueOf),
                text(headers, MessageHeaders.CE_SUBJECT),
                identity.tenant(),
                required(headers, MessageHeaders.CE_TIME, Envelope::instant),
                identity.stagedAt(),
                required(headers, MessageHeaders.CONTENT_TYPE, Function.identity()),
                userHeaders(headers));
    }

    /** What tells a message from all others. */
    record Identity(UUID id, String tenant, Instant stagedAt) {}

    /** Reads it; needs no other header. */
    static Identity identity(Headers headers) throws UnreadableException {
        String tenant = text(headers, MessageHeaders.TENANT) == null
                ? ""
                : required(headers, MessageHeaders.TENANT, Envelope::storable);
        return new Identity(
                required(headers, MessageHeaders.CE_ID, UUID::fromString),
                tenant,
                required(headers, MessageHeaders.STAGED_AT, Envelope::instant));
    }

    static <T> T required(Headers headers, String name, Function<String, T> parse) throws UnreadableException {
        String value = text(headers, name);
        if (value == null) {
            throw new UnreadableException(
                    UnreadableException.UNREADABLE,
                    "its header " + name + " is missing; only the relay writes to this topic",
                    null);
        }
        try {
            return parse.apply(value);
        } catch (IllegalArgumentException | DateTimeException e) {
            throw new UnreadableException(
                    UnreadableException.UNREADABLE,
                    "its header " + name + " is \"" + shortened(value) + "\", which cannot be read",
                    null);
        }
    }

    /** What PostgreSQL cannot store came from somewhere else. */
    private static String storable(String value) {
        if (value.indexOf('\0') >= 0) {
            throw new IllegalArgumentException();
        }
        return value;
    }

    private static Instant instant(String value) {
        OffsetDateTime time = OffsetDateTime.parse(value);
        if (time.getYear() < 1 || time.getYear() > YEAR_MAX) {
            throw new IllegalArgumentException();
        }
        return time.toInstant();
    }

    private static String shortened(String value) {
        String printable = value.replaceAll("\\p{Cntrl}", "?");
        return printable.length() <= CHARACTERS_TOLD_MAX
                ? printable
                : printable.substring(0, CHARACTERS_TOLD_MAX) + "…";
    }

    static @Nullable String text(Headers headers, String name) {
        Header header = headers.lastHeader(name);
        return header == null || header.value() == null ? null : new String(header.value(), StandardCharsets.UTF_8);
    }

    private static Map<String, String> userHeaders(Headers headers) {
        Map<String, String> all = new HashMap<>();
        for (Header header : headers) {
            if (header.value() != null && !MessageHeaders.isReserved(header.key())) {
                all.put(header.key(), new String(header.value(), StandardCharsets.UTF_8));
            }
        }
        return all;
    }
}
