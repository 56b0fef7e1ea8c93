package dev.posthaste.relay.publishing;

import java.io.IOException;
import java.util.UUID;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

import dev.posthaste.relay.source.Lsn;
import dev.posthaste.relay.source.SourceDatabase;

/** The position record's value: JSON with a format version. Thread-safe. */
final class PositionCodec {

    static final int FORMAT = 1;

    private final ObjectMapper json = new ObjectMapper();

    byte[] encode(Position position) {
        ObjectNode node = json.createObjectNode();
        node.put("format", FORMAT);
        node.put("systemIdentifier", position.source().systemIdentifier());
        node.put("database", position.source().database());
        node.put("timeline", position.source().timeline());
        node.put("fence", position.fence());
        node.put("batch", position.batch());
        node.put("batchMessages", position.batchMessages());
        node.put("lastCommit", position.lastCommit().toString());
        Position.InProgress inProgress = position.inProgress();
        if (inProgress != null) {
            node.putObject("inProgress").put("xid", inProgress.xid()).put("rows", inProgress.rows());
        }
        node.put("ack", position.ack().toString());
        if (position.lastMessageId() != null) {
            node.put("lastMessageId", position.lastMessageId().toString());
        }
        if (position.withheld()) {
            node.put("withheld", true);
        }
        try {
            return json.writeValueAsBytes(node);
        } catch (JacksonException e) { // a tree of our own making
            throw new IllegalStateException(e);
        }
    }

    /**
     * Reads a record's value.
     *
     * @throws IllegalArgumentException if it is not of our format; nothing is guessed
     */
    Position decode(byte[] value) {
        JsonNode node;
        try {
            node = json.readTree(value);
        } catch (IOException e) {
            throw new IllegalArgumentException("the position record is not JSON", e);
        }
        int format = node.path("format").asInt();
        if (format != FORMAT) {
            throw new IllegalArgumentException(
                    "the position record has format " + format + ", but this relay knows format " + FORMAT + " only");
        }
        try {
            JsonNode inProgress = node.get("inProgress");
            return new Position(
                    new SourceDatabase.Identity(
                            node.required("systemIdentifier").asText(),
                            node.required("database").asText(),
                            number(node, "timeline")),
                    number(node, "fence"),
                    number(node, "batch"),
                    Math.toIntExact(number(node, "batchMessages")),
                    Lsn.parse(node.required("lastCommit").asText()),
                    inProgress == null
                            ? null
                            : new Position.InProgress(number(inProgress, "xid"), number(inProgress, "rows")),
                    Lsn.parse(node.required("ack").asText()),
                    uuid(node.get("lastMessageId")),
                    node.path("withheld").asBoolean(false));
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw new IllegalArgumentException("the position record cannot be read: " + e.getMessage(), e);
        }
    }

    private static long number(JsonNode node, String field) {
        JsonNode value = node.required(field);
        if (!value.canConvertToLong() || !value.isIntegralNumber()) {
            throw new IllegalArgumentException(field + " is " + value + ", not a number");
        }
        return value.asLong();
    }

    private static @Nullable UUID uuid(@Nullable JsonNode node) {
        return node == null ? null : UUID.fromString(node.asText());
    }
}
