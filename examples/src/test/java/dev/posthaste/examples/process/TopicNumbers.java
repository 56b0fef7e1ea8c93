package dev.posthaste.examples.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.kafka.clients.consumer.ConsumerRecords;
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

    /** How many there are of what is committed; the numbers must be 1, 2, 3 and so on, each once. */
    static int countInOrder(String bootstrapServers, String topic) {
        AtomicInteger last = new AtomicInteger();
        read(bootstrapServers, topic, "read_committed", message -> {
            int n = firstNumber(message);
            if (n != last.incrementAndGet()) {
                throw new AssertionError("on " + topic + " " + n + " comes where " + last + " should");
            }
        });
        return last.get();
    }

    private static List<Integer> read(String bootstrapServers, String topic, String isolation) {
        List<Integer> all = new ArrayList<>();
        read(bootstrapServers, topic, isolation, message -> all.add(number(message)));
        return all;
    }

    private static void read(String bootstrapServers, String topic, String isolation, Consumer<byte[]> each) {
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
                    throw new IllegalStateException(topic + " could not be read to " + ends + ": nothing more comes");
                }
                ConsumerRecords<byte[], byte[]> messages = consumer.poll(Duration.ofMillis(100));
                polls = messages.isEmpty() ? polls : 0;
                messages.forEach(message -> each.accept(message.value()));
            }
        }
    }

    /** The value of the first field, whatever comes behind it. */
    private static int firstNumber(byte[] payload) {
        try (JsonParser parser = JSON.createParser(payload)) {
            parser.nextToken();
            if (!"n".equals(parser.nextFieldName())) {
                throw new AssertionError("the first field is " + parser.currentName());
            }
            return parser.nextIntValue(0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int number(byte[] payload) {
        try {
            return JSON.readTree(payload).get("n").intValue();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
