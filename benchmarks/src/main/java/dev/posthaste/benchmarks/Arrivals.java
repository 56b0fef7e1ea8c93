package dev.posthaste.benchmarks;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

import dev.posthaste.schemas.MessageHeaders;

/**
 * Reads a topic as a consumer with {@code read_committed} does and notes when each message came. Its one thread belongs
 * to it and ends with it.
 */
final class Arrivals implements AutoCloseable {

    private static final Duration POLL = Duration.ofMillis(200);

    private final KafkaConsumer<byte[], byte[]> consumer;
    private final Map<UUID, Long> arrived = new ConcurrentHashMap<>();
    private final Thread thread = new Thread(this::read, "arrivals");
    private volatile boolean closed;

    private Arrivals(KafkaConsumer<byte[], byte[]> consumer) {
        this.consumer = consumer;
    }

    /** Begins to read the one partition of that topic. */
    static Arrivals on(String bootstrapServers, String topic) {
        KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(
                Map.of(
                        "bootstrap.servers", bootstrapServers,
                        "isolation.level", "read_committed",
                        "enable.auto.commit", "false"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
        List<TopicPartition> partitions = List.of(new TopicPartition(topic, 0));
        consumer.assign(partitions);
        consumer.seekToBeginning(partitions);
        Arrivals arrivals = new Arrivals(consumer);
        arrivals.thread.start();
        return arrivals;
    }

    private void read() {
        try (consumer) {
            while (!closed) {
                for (ConsumerRecord<byte[], byte[]> message : consumer.poll(POLL)) {
                    byte[] id =
                            message.headers().lastHeader(MessageHeaders.CE_ID).value();
                    arrived.put(UUID.fromString(new String(id, StandardCharsets.UTF_8)), System.nanoTime());
                }
            }
        }
    }

    /** Waits until all of them have come, and returns when each did, by {@link System#nanoTime}. */
    long[] await(UUID[] ids, Duration timeout) throws InterruptedException {
        long deadline = System.nanoTime() + timeout.toNanos();
        long[] times = new long[ids.length];
        for (int n = 0; n < ids.length; n++) {
            while (!arrived.containsKey(ids[n])) {
                if (System.nanoTime() - deadline > 0 || !thread.isAlive()) {
                    throw new IllegalStateException("message " + (n + 1) + " of " + ids.length + " did not come within "
                            + timeout.toSeconds() + " s");
                }
                Thread.sleep(10);
            }
            times[n] = arrived.remove(ids[n]);
        }
        return times;
    }

    @Override
    public void close() throws InterruptedException {
        closed = true;
        thread.join();
    }
}
