package dev.posthaste.consumer.internal.outcomes;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.SortedSet;
import java.util.TreeMap;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.kafka.clients.producer.ProducerRecord;

import dev.posthaste.consumer.inbox.JournalEntry;
import dev.posthaste.consumer.internal.Worker;

/** Makes the records: JSON objects that tell one thing each, under the message's id or the reader's name. Immutable. */
final class OutcomeRecords {

    private static final JsonMapper JSON = new JsonMapper();

    private final String topic;
    private final Worker worker;

    OutcomeRecords(String topic, Worker worker) {
        this.topic = topic;
        this.worker = worker;
    }

    /** What the journal says; what it leaves out is left out. */
    ProducerRecord<byte[], byte[]> of(String handler, JournalEntry entry) {
        ObjectNode json = JSON.createObjectNode()
                .put("outcome", entry.outcome())
                .put("handler", handler)
                .put("tenant", entry.id().tenant())
                .put("messageId", entry.id().messageId().toString())
                .put("stagedAt", entry.id().stagedAt().toString())
                .put("attempt", entry.attempt())
                .put("code", entry.code())
                .put("summary", entry.summary())
                .put("host", entry.host())
                .put("actor", entry.actor())
                .put("reason", entry.reason())
                .put(
                        "replayId",
                        entry.replayId() == null ? null : entry.replayId().toString())
                .put("at", entry.at().toString())
                .put("entry", entry.entry());
        json.properties().removeIf(property -> property.getValue().isNull());
        return record(entry.id().messageId().toString(), json);
    }

    /** Which versions a running handler reads. */
    ProducerRecord<byte[], byte[]> ofReader(OutcomeSource source, Instant now) {
        ObjectNode json = JSON.createObjectNode()
                .put("outcome", "reads")
                .put("handler", source.handler())
                .put("host", worker.host())
                .put("owner", worker.owner())
                .put("at", now.toString());
        ObjectNode reads = json.putObject("reads");
        new TreeMap<>(source.reads()).forEach((type, versions) -> add(reads.putArray(type), versions));
        return record(source.handler() + "@" + worker.owner(), json);
    }

    private static void add(ArrayNode array, SortedSet<Integer> versions) {
        versions.forEach(array::add);
    }

    private ProducerRecord<byte[], byte[]> record(String key, ObjectNode json) {
        return new ProducerRecord<>(
                topic, key.getBytes(StandardCharsets.UTF_8), json.toString().getBytes(StandardCharsets.UTF_8));
    }
}
