package dev.posthaste.chaos.collect;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Reads what is committed on topics, from some offset to the end there is now. Used by one thread. */
final class TopicReader implements AutoCloseable {

    private static final Duration POLL = Duration.ofMillis(200);

    private final KafkaConsumer<byte[], byte[]> consumer;
    private final Duration silenceMax;

    /**
     * Connects.
     *
     * @param silenceMax how long nothing may come before it gives up
     */
    TopicReader(String bootstrapServers, Duration silenceMax) {
        this.consumer = new KafkaConsumer<>(
                Map.of(
                        "bootstrap.servers", bootstrapServers,
                        "isolation.level", "read_committed",
                        "enable.auto.commit", "false",
                        "allow.auto.create.topics", "false",
                        "auto.offset.reset", "earliest",
                        "default.api.timeout.ms", Integer.toString(Math.toIntExact(silenceMax.toMillis()))),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
        this.silenceMax = silenceMax;
    }

    /** Every partition of a topic with its first offset. */
    Map<TopicPartition, Long> beginnings(String topic) {
        return consumer.beginningOffsets(consumer.partitionsFor(topic).stream()
                .map(info -> new TopicPartition(topic, info.partition()))
                .toList());
    }

    /**
     * Reads from these offsets, which are moved up to where the next reading begins.
     *
     * @throws IllegalStateException when nothing comes for too long before the end
     */
    void read(Map<TopicPartition, Long> from, Consumer<ConsumerRecord<byte[], byte[]>> action) {
        consumer.assign(from.keySet());
        from.forEach(consumer::seek);
        // Of what is committed: a transaction that is still open is behind that end.
        Map<TopicPartition, Long> ends = consumer.endOffsets(from.keySet());
        long deadline = deadline();
        List<TopicPartition> left;
        while (!(left = left(ends)).isEmpty()) {
            var records = consumer.poll(POLL);
            records.forEach(action);
            if (!records.isEmpty() || left(ends).size() < left.size()) {
                deadline = deadline();
            } else if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException("nothing came from " + left + " for " + silenceMax.toSeconds() + " s");
            }
        }
        from.replaceAll((partition, before) -> consumer.position(partition));
    }

    private long deadline() {
        return System.nanoTime() + silenceMax.toNanos();
    }

    private List<TopicPartition> left(Map<TopicPartition, Long> ends) {
        return ends.entrySet().stream()
                .filter(end -> consumer.position(end.getKey()) < end.getValue())
                .map(Map.Entry::getKey)
                .collect(Collectors.toList());
    }

    @Override
    public void close() {
        consumer.close();
    }
}
