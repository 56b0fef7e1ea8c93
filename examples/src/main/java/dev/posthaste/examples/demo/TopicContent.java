package dev.posthaste.examples.demo;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

import dev.posthaste.schemas.MessageHeaders;

/** Everything committed on a topic, read from its beginning, in the order of each partition. */
final class TopicContent {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private TopicContent() {}

    /** A message as a consumer sees it. */
    record Seen(UUID id, String copyId, long loanNumber) {}

    static List<Seen> read(String bootstrapServers, String topic) {
        List<Seen> all = new ArrayList<>();
        try (KafkaConsumer<String, byte[]> consumer = new KafkaConsumer<>(
                Map.of(
                        "bootstrap.servers", bootstrapServers,
                        "isolation.level", "read_committed",
                        "auto.offset.reset", "earliest",
                        "enable.auto.commit", "false"),
                new StringDeserializer(),
                new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                    .map(info -> new TopicPartition(topic, info.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            long deadline = System.nanoTime() + TIMEOUT.toNanos();
            while (partitions.stream()
                    .anyMatch(partition -> consumer.position(partition) < ends.getOrDefault(partition, 0L))) {
                consumer.poll(Duration.ofMillis(100)).forEach(message -> all.add(seen(message)));
                if (System.nanoTime() - deadline > 0) {
                    throw new IllegalStateException(
                            "topic " + topic + " was not read to its end within " + TIMEOUT.toSeconds() + " s");
                }
            }
        }
        return all;
    }

    private static Seen seen(ConsumerRecord<String, byte[]> message) {
        UUID id = UUID.fromString(
                new String(message.headers().lastHeader(MessageHeaders.CE_ID).value(), StandardCharsets.UTF_8));
        try {
            return new Seen(
                    id,
                    message.key(),
                    JSON.readTree(message.value()).path("loanNumber").asLong());
        } catch (IOException e) {
            throw new IllegalStateException(
                    "message " + id + " on " + message.topic() + " is not the JSON it was staged as", e);
        }
    }
}
