package dev.posthaste.consumer.internal;

import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import java.util.regex.Pattern;

import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

import dev.posthaste.consumer.inbox.Printable;
import dev.posthaste.schemas.MessageHeaders;
import dev.posthaste.schemas.MessageKind;
import dev.posthaste.schemas.MessageLimits;

/**
 * What a record's headers say of its message, held to what the outbox allows: a record beyond that was not written by
 * the relay, and the inbox's indexes need not have room for it.
 */
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
    private static final Pattern CONTROL = Pattern.compile("\\p{Cntrl}");

    static Envelope of(Headers headers) throws UnreadableException {
        Identity identity = identity(headers);
        return new Envelope(
                identity.id(),
                required(headers, MessageHeaders.KIND, MessageKind::ofWireName),
                required(headers, MessageHeaders.CE_TYPE, value -> name(value, MessageLimits.TYPE_CHARACTERS_MAX)),
                required(headers, MessageHeaders.SCHEMA_VERSION, Integer::valueOf),
                optional(headers, MessageHeaders.CE_SUBJECT, Envelope::key),
                identity.tenant(),
                required(headers, MessageHeaders.CE_TIME, Envelope::instant),
                identity.stagedAt(),
                required(
                        headers,
                        MessageHeaders.CONTENT_TYPE,
                        value -> name(value, MessageLimits.CONTENT_TYPE_CHARACTERS_MAX)),
                userHeaders(headers));
    }

    /** What tells a message from all others. */
    record Identity(UUID id, String tenant, Instant stagedAt) {}

    /** Reads it; needs no other header. */
    static Identity identity(Headers headers) throws UnreadableException {
        String tenant = optional(headers, MessageHeaders.TENANT, Envelope::tenant);
        return new Identity(
                required(headers, MessageHeaders.CE_ID, UUID::fromString),
                tenant == null ? "" : tenant,
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
                    "its header " + name + " is \"" + shortened(value) + "\", which "
                            + (e instanceof BeyondLimit ? e.getMessage() : "cannot be read"),
                    null);
        }
    }

    private static <T> @Nullable T optional(Headers headers, String name, Function<String, T> parse)
            throws UnreadableException {
        return text(headers, name) == null ? null : required(headers, name, parse);
    }

    /** The outbox takes no such value. The message says what it would take. */
    private static final class BeyondLimit extends IllegalArgumentException {
        private static final long serialVersionUID = 1L;

        BeyondLimit(String rule) {
            super(rule + "; only the relay writes to this topic");
        }
    }

    private static String name(String value, int charactersMax) {
        if (value.isEmpty()) {
            throw new BeyondLimit("must not be empty");
        }
        return printable(value, charactersMax);
    }

    private static String tenant(String value) {
        return printable(value, MessageLimits.TENANT_CHARACTERS_MAX);
    }

    private static String printable(String value, int charactersMax) {
        int characters = value.codePointCount(0, value.length());
        if (characters > charactersMax) {
            throw new BeyondLimit("has " + characters + " characters, but at most " + charactersMax + " are allowed");
        }
        if (CONTROL.matcher(value).find()) {
            throw new BeyondLimit("has control characters in it");
        }
        return value;
    }

    private static String key(String value) {
        int bytes = value.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > MessageLimits.KEY_BYTES_MAX) {
            throw new BeyondLimit(
                    "has " + bytes + " bytes, but at most " + MessageLimits.KEY_BYTES_MAX + " are allowed");
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
        String printable = Printable.of(value);
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
