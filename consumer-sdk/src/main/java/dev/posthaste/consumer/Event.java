package dev.posthaste.consumer;

import java.time.Instant;
import java.util.Map;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

import dev.posthaste.schemas.MessageKind;

/**
 * A message as its handler reads it. Immutable if its payload is.
 *
 * @param <T> what the payload was read into
 * @param id message id, the same in every delivery
 * @param kind what it is
 * @param type stable name of its type
 * @param schemaVersion version it was written in, whatever it was read into
 * @param key ordering key; null if it has none
 * @param tenant its tenant; empty for none
 * @param occurredAt when it happened, as the producer says
 * @param stagedAt when the producer's transaction began, on the producer's database's clock
 * @param headers user headers and trace context, in no order; never null
 * @param payload what it carries
 */
public record Event<T>(
        UUID id,
        MessageKind kind,
        String type,
        int schemaVersion,
        @Nullable String key,
        String tenant,
        Instant occurredAt,
        Instant stagedAt,
        Map<String, String> headers,
        T payload) {

    /** Copies the headers. */
    public Event {
        headers = Map.copyOf(headers);
    }

    /** Names the message without its payload, key and headers. */
    @Override
    public String toString() {
        return "Event[" + type + " v" + schemaVersion + ", id " + id + "]";
    }
}
