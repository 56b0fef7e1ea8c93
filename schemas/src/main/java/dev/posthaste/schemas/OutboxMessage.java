package dev.posthaste.schemas;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

/**
 * A message to stage: one row of {@code outbox.message} before it is written. It checks itself; what it accepts, the
 * table's constraints accept, but for the syntax of JSON, which the database judges. Immutable and thread-safe.
 *
 * @param id message id; null: the producer SDK fills in a time-ordered UUIDv7
 * @param kind what it is
 * @param type stable name of the message's type, for example {@code library.loan-borrowed}
 * @param schemaVersion version of the payload's schema, from 1
 * @param key ordering key and Kafka record key; null: the id
 * @param tenant scopes deduplication and operators; empty: no tenant
 * @param occurredAt when it happened; null: now
 * @param contentType media type of the payload, by default {@code application/json}
 * @param payload what it carries
 * @param headers user headers and trace context, in the order given
 */
public record OutboxMessage(
        @Nullable UUID id,
        MessageKind kind,
        String type,
        int schemaVersion,
        @Nullable String key,
        String tenant,
        @Nullable Instant occurredAt,
        String contentType,
        Payload payload,
        Map<String, String> headers) {

    /**
     * Checks every field.
     *
     * @throws IllegalArgumentException naming the column, its value or size, and the rule
     */
    public OutboxMessage {
        Check.text("type", type, MessageLimits.TYPE_CHARACTERS_MAX);
        if (schemaVersion < 1) {
            throw new IllegalArgumentException("schema_version is " + schemaVersion + ", but must be at least 1");
        }
        if (key != null) {
            Check.storable("key", key);
            int bytes = key.getBytes(StandardCharsets.UTF_8).length;
            Check.size("key", bytes, 1, MessageLimits.KEY_BYTES_MAX, "bytes");
        }
        Check.printable("tenant", tenant);
        Check.size("tenant", Check.characters(tenant), 0, MessageLimits.TENANT_CHARACTERS_MAX, "characters");
        Check.text("content_type", contentType, MessageLimits.CONTENT_TYPE_CHARACTERS_MAX);
        if (payload instanceof Payload.Json text) {
            Check.wellFormed("payload", text.text());
        }
        boolean json = payload instanceof Payload.Json;
        Check.size(
                json ? "payload" : "payload_bytes",
                payload.bytes().length,
                json ? 1 : 0,
                MessageLimits.PAYLOAD_BYTES_MAX,
                "bytes");
        headers = Collections.unmodifiableMap(new LinkedHashMap<>(headers));
        headers.forEach(OutboxMessage::checkHeader);
    }

    private static void checkHeader(String name, String value) {
        if (name.isEmpty()) {
            throw new IllegalArgumentException("headers has an entry with an empty name; name it or leave it out");
        }
        if (MessageHeaders.isReserved(name)) {
            throw new IllegalArgumentException(
                    "headers has \"" + name
                            + "\", but names beginning with ce_ or posthaste_, and content-type, are Posthaste's own; choose another name");
        }
        Check.storable("headers", name);
        Check.storable("headers", value);
    }

    /** Begins an integration event. */
    public static Builder event(String type, int schemaVersion) {
        return new Builder(MessageKind.INTEGRATION_EVENT, type, schemaVersion);
    }

    /** Begins a command for a journey step. */
    public static Builder command(String type, int schemaVersion) {
        return new Builder(MessageKind.JOURNEY_STEP_COMMAND, type, schemaVersion);
    }

    /** Begins a side effect on an outside provider. */
    public static Builder sideEffect(String type, int schemaVersion) {
        return new Builder(MessageKind.PROVIDER_SIDE_EFFECT, type, schemaVersion);
    }

    /** Names the message without its payload, key and headers. */
    @Override
    public String toString() {
        return "OutboxMessage[" + kind.wireName() + " " + type + " v" + schemaVersion + ", id " + id + ", " + payload
                + "]";
    }

    /** Collects the fields of a message. Not thread-safe. */
    public static final class Builder {
        private final MessageKind kind;
        private final String type;
        private final int schemaVersion;
        private final Map<String, String> headers = new LinkedHashMap<>();
        private @Nullable UUID id;
        private @Nullable String key;
        private String tenant = "";
        private @Nullable Instant occurredAt;
        private String contentType = "application/json";

        private Builder(MessageKind kind, String type, int schemaVersion) {
            this.kind = kind;
            this.type = type;
            this.schemaVersion = schemaVersion;
        }

        /** Sets the message id; default: made by the producer SDK. */
        public Builder id(UUID id) {
            this.id = id;
            return this;
        }

        /** Sets the ordering key; default: none, so that messages are spread over partitions by id. */
        public Builder key(String key) {
            this.key = key;
            return this;
        }

        /** Sets the tenant; default: none. */
        public Builder tenant(String tenant) {
            this.tenant = tenant;
            return this;
        }

        /** Sets when it happened; default: now. */
        public Builder occurredAt(Instant occurredAt) {
            this.occurredAt = occurredAt;
            return this;
        }

        /** Sets the media type; default: {@code application/json}. */
        public Builder contentType(String contentType) {
            this.contentType = contentType;
            return this;
        }

        /** Adds a header. */
        public Builder header(String name, String value) {
            headers.put(name, value);
            return this;
        }

        /** Makes the message with a JSON payload; throws IllegalArgumentException as the record does. */
        public OutboxMessage json(String json) {
            return build(new Payload.Json(json));
        }

        /** Makes the message with a payload of bytes; throws IllegalArgumentException as the record does. */
        public OutboxMessage bytes(byte[] bytes) {
            return build(new Payload.Bytes(bytes));
        }

        private OutboxMessage build(Payload payload) {
            return new OutboxMessage(
                    id, kind, type, schemaVersion, key, tenant, occurredAt, contentType, payload, headers);
        }
    }
}
