package dev.posthaste.relay.publishing;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

import dev.posthaste.schemas.MessageHeaders;

/** Reads which messages are on topics since some time, as a consumer with read_committed sees them. */
public final class TopicTail {

    private static final Duration POLL = Duration.ofMillis(200);

    private final KafkaSettings kafka;
    private final Duration silenceMax;

    /**
     * Reads with these settings.
     *
     * @param silenceMax how long Kafka may send nothing before the end
     */
    public TopicTail(KafkaSettings kafka, Duration silenceMax) {
        this.kafka = kafka;
        this.silenceMax = silenceMax;
    }

    /**
     * A message on a topic: one id staged twice is two messages.
     *
     * @param stagedAt {@code created_at} of its row
     */
    public record Seen(UUID id, Instant stagedAt) {}

    /** Takes messages, a poll's worth at a time. */
    @FunctionalInterface
    public interface Messages<E extends Exception> {

        /** Takes them; the same one comes once for each of its topics. */
        void take(List<Seen> messages) throws E;
    }

    /**
     * Reads the topics from that time to their ends.
     *
     * @param since by the records' timestamps
     */
    public <E extends Exception> void read(Collection<String> topics, Instant since, Messages<E> messages) throws E {
        Map<String, Object> settings = kafka.with(Map.of(
                ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed",
                ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false,
                ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false));
        try (Consumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = topics.stream()
                    .flatMap(topic -> consumer.partitionsFor(topic).stream())
                    .map(info -> new TopicPartition(info.topic(), info.partition()))
                    .toList();
            consumer.assign(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            seek(consumer, partitions, since, ends);
            long heardAt = System.nanoTime();
            while (partitions.stream()
                    .anyMatch(partition -> consumer.position(partition) < ends.getOrDefault(partition, 0L))) {
                List<Seen> polled = new ArrayList<>();
                consumer.poll(POLL).forEach(message -> polled.add(seen(message)));
                if (!polled.isEmpty()) {
                    heardAt = System.nanoTime();
                    messages.take(polled);
                } else if (System.nanoTime() - heardAt > silenceMax.toNanos()) {
                    throw new TimeoutException("the topics were not read to their ends: Kafka was silent for "
                            + silenceMax.toSeconds() + " s");
                }
            }
        }
    }

    private static void seek(
            Consumer<byte[], byte[]> consumer,
            List<TopicPartition> partitions,
            Instant since,
            Map<TopicPartition, Long> ends) {
        Map<TopicPartition, Long> times = new HashMap<>();
        partitions.forEach(partition -> times.put(partition, since.toEpochMilli()));
        Map<TopicPartition, OffsetAndTimestamp> found = consumer.offsetsForTimes(times);
        for (TopicPartition partition : partitions) {
            OffsetAndTimestamp from = found.get(partition);
            consumer.seek(partition, from == null ? ends.getOrDefault(partition, 0L) : from.offset());
        }
    }

    private static Seen seen(ConsumerRecord<byte[], byte[]> message) {
        return new Seen(
                UUID.fromString(header(message, MessageHeaders.CE_ID)),
                Instant.parse(header(message, MessageHeaders.STAGED_AT)));
    }

    private static String header(ConsumerRecord<byte[], byte[]> message, String name) {
        Header header = message.headers().lastHeader(name);
        if (header == null) {
            throw new IllegalStateException(
                    "topic " + message.topic() + " holds a record without " + name + " at offset " + message.offset()
                            + ", which the relay did not write; nobody else may write to this topic");
        }
        return new String(header.value(), StandardCharsets.UTF_8);
    }
}
