package dev.posthaste.consumer;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

import dev.posthaste.schemas.MessageHeaders;

/** A message as the relay would put it on a topic. */
record TestMessage(UUID id, String key, byte @Nullable [] value, Map<String, String> headers) {

    static TestMessage of(Loan loan) {
        return of(Loan.TYPE, 1, loan.member(), loan.json());
    }

    static TestMessage of(String type, int version, String key, String json) {
        UUID id = UUID.randomUUID();
        Map<String, String> headers = new HashMap<>(Map.of(
                MessageHeaders.CE_SPECVERSION,
                "1.0",
                MessageHeaders.CE_ID,
                id.toString(),
                MessageHeaders.CE_TYPE,
                type,
                MessageHeaders.CE_SOURCE,
                "/test/lending",
                MessageHeaders.CE_TIME,
                "2026-01-02T03:04:05.123456Z",
                MessageHeaders.CE_SUBJECT,
                key,
                MessageHeaders.CONTENT_TYPE,
                "application/json",
                MessageHeaders.KIND,
                "integration-event",
                MessageHeaders.SCHEMA_VERSION,
                Integer.toString(version),
                MessageHeaders.STAGED_AT,
                // PostgreSQL's times have microseconds, and it rounds a finer text that it is given.
                Instant.now().truncatedTo(ChronoUnit.MICROS).toString()));
        return new TestMessage(id, key, json.getBytes(StandardCharsets.UTF_8), headers);
    }

    /** The same with a header changed, or taken out for null. */
    TestMessage with(String header, @Nullable String text) {
        Map<String, String> changed = new HashMap<>(headers);
        if (text == null) {
            changed.remove(header);
        } else {
            changed.put(header, text);
        }
        return new TestMessage(id, key, value, changed);
    }

    TestMessage withValue(byte @Nullable [] other) {
        return new TestMessage(id, key, other, headers);
    }

    ProducerRecord<byte[], byte[]> to(String topic, int partition) {
        ProducerRecord<byte[], byte[]> record =
                new ProducerRecord<>(topic, partition, key.getBytes(StandardCharsets.UTF_8), value);
        headers.forEach((name, text) -> record.headers().add(name, text.getBytes(StandardCharsets.UTF_8)));
        return record;
    }
}
