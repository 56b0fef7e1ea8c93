package dev.posthaste.relay.publishing;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

import dev.posthaste.schemas.Namespace;

/** Reads the committed position from its topic. Thread-safe: each reading has a consumer of its own. */
public final class PositionStore {

    private static final Duration POLL = Duration.ofMillis(200);
    /** The consumer fetches ahead, and its close waits for that answer: half a second of a takeover by default. */
    private static final int FETCH_WAIT_MILLIS = 10;

    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(1);

    private final KafkaSettings kafka;
    private final Namespace namespace;
    private final String slot;
    private final Duration timeout;
    private final PositionCodec codec = new PositionCodec();

    /**
     * Reads positions of that slot.
     *
     * @param timeout of each reading
     */
    public PositionStore(KafkaSettings kafka, Namespace namespace, String slot, Duration timeout) {
        this.kafka = kafka;
        this.namespace = namespace;
        this.slot = slot;
        this.timeout = timeout;
    }

    /** Reads the positions a publisher with those settings writes; each reading lasts at most one of its requests. */
    public PositionStore(PublisherSettings settings) {
        this(settings.kafka(), settings.namespace(), settings.slot(), settings.requestTimeout());
    }

    /**
     * The last committed position; empty if there is no record of this slot, or no topic. A leader calls it after its
     * publisher was opened, when no older transaction can be committed any more.
     *
     * @throws IllegalArgumentException if the record is of an unknown format
     * @throws org.apache.kafka.common.KafkaException if it cannot be read in time
     */
    public Optional<Position> read() {
        Map<String, Object> settings = kafka.with(Map.of(
                ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                "read_committed",
                ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                false,
                ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                "earliest",
                ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG,
                false,
                ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG,
                FETCH_WAIT_MILLIS,
                ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
                (int) timeout.toMillis()));
        Consumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        try {
            TopicPartition partition = new TopicPartition(namespace.positionTopic(), 0);
            if (consumer.partitionsFor(partition.topic()).isEmpty()) {
                return Optional.empty(); // the topic is gone, and the position with it
            }
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            long end = consumer.endOffsets(List.of(partition)).getOrDefault(partition, 0L);
            return Optional.ofNullable(last(consumer, partition, end)).map(codec::decode);
        } finally {
            // By default a broker that does not answer would be waited for, half a minute and beyond the timeout.
            consumer.close(CloseOptions.timeout(CLOSE_TIMEOUT));
        }
    }

    private byte @Nullable [] last(Consumer<byte[], byte[]> consumer, TopicPartition partition, long end) {
        long deadline = System.nanoTime() + timeout.toNanos();
        byte[] last = null;
        while (consumer.position(partition) < end) {
            for (ConsumerRecord<byte[], byte[]> positionRecord : consumer.poll(POLL)) {
                if (slot.equals(new String(positionRecord.key(), StandardCharsets.UTF_8))) {
                    last = positionRecord.value();
                }
            }
            if (System.nanoTime() - deadline > 0) {
                throw new TimeoutException("the position topic " + partition.topic() + " was not read to its end, "
                        + end + ", within " + timeout.toSeconds() + " s");
            }
        }
        return last;
    }
}
