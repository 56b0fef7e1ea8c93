package dev.posthaste.examples.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** The field {@code n} of everything on a topic. */
final class TopicNumbers {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int POLLS_MAX = 600;

    private TopicNumbers() {}

    /** Of everything committed. */
    static List<Integer> read(String bootstrapServers, String topic) {
        return read(bootstrapServers, topic, "read_committed");
    }

    /** Of everything, be it committed, in an open transaction, or aborted. */
    static List<Integer> readUncommitted(String bootstrapServers, String topic) {
        return read(bootstrapServers, topic, "read_uncommitted");
    }

    private static List<Integer> read(String bootstrapServers, String topic, String isolation) {
        List<Integer> all = new ArrayList<>();
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                Map.of(
                        "bootstrap.servers",
                        bootstrapServers,
                        "isolation.level",
                        isolation,
                        "auto.offset.reset",
                        "earliest",
                        "enable.auto.commit",
                        "false"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                    .map(info -> new TopicPartition(topic, info.partition()))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            int polls = 0;
            while (partitions.stream().anyMatch(partition -> consumer.position(partition) < ends.get(partition))) {
                if (++polls > POLLS_MAX) {
                    throw new IllegalStateException(topic + " could not be read to " + ends);
                }
                consumer.poll(Duration.ofMillis(100)).forEach(message -> all.add(number(message.value())));
            }
        }
        return all;
    }

    private static int number(byte[] payload) {
        try {
            return JSON.readTree(payload).get("n").intValue();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
