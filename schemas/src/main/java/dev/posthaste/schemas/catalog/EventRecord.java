package dev.posthaste.schemas.catalog;

import java.util.Map;

import com.fasterxml.jackson.databind.JsonNode;
import org.jspecify.annotations.Nullable;

import dev.posthaste.schemas.MessageKind;

/**
 * The record of one message type: {@code events/<type>.yaml} (provisions S1 2, 10). Immutable.
 *
 * @param type stable name
 * @param kind what its messages are
 * @param direction who it is for; always set for an integration event, else null
 * @param trust what readers may rely on; always set for an integration event, else null
 * @param owner team that answers for it
 * @param versions every version that may still be staged or waiting, by number
 */
public record EventRecord(
        String type,
        MessageKind kind,
        @Nullable String direction,
        @Nullable String trust,
        String owner,
        Map<Integer, EventVersion> versions) {

    /** Copies the versions. */
    public EventRecord {
        versions = Map.copyOf(versions);
    }

    /**
     * One version of a type's payload.
     *
     * @param schema JSON Schema of the payload
     * @param classifications class of each classified field, by its name; never null
     */
    public record EventVersion(JsonNode schema, Map<String, String> classifications) {
        /** Copies the classifications. */
        public EventVersion {
            classifications = Map.copyOf(classifications);
        }
    }
}
