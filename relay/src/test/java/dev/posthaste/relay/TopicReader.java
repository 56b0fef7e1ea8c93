package dev.posthaste.relay;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

/** Reads topics as a consumer with read_committed does. */
public final class TopicReader {

    private TopicReader() {}

    /** Everything committed, partition by partition in order. */
    public static List<ConsumerRecord<String, byte[]>> readCommitted(String bootstrapServers, String topic) {
        List<ConsumerRecord<String, byte[]>> all = new ArrayList<>();
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
            while (partitions.stream().anyMatch(partition -> consumer.position(partition) < ends.get(partition))) {
                consumer.poll(Duration.ofMillis(100)).forEach(all::add);
            }
        }
        return all;
    }

    static UUID id(ConsumerRecord<String, byte[]> message) {
        return UUID.fromString(header(message, "ce_id"));
    }

    static String header(ConsumerRecord<String, byte[]> message, String name) {
        var header = message.headers().lastHeader(name);
        return header == null ? null : new String(header.value(), StandardCharsets.UTF_8);
    }
}
