package dev.posthaste.relay.publishing;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

import org.apache.kafka.clients.admin.DescribeProducersResult.PartitionProducerState;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/**
 * Waits until the markers of a committed transaction are on its partitions. The coordinator answers a commit before it
 * has them written, and one that is killed then may never write them: what has evidence must not depend on it. Used by
 * one thread.
 */
final class CommitMarkers implements AutoCloseable {

    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(1);
    private static final long PAUSE_MIN_MILLIS = 1;
    private static final long PAUSE_MAX_MILLIS = 16;
    /** Markers are there within milliseconds; what takes longer is somebody else's transaction, mostly. */
    private static final Duration SUSPICIOUS = Duration.ofMillis(100);

    private final PublisherSettings settings;
    private final Consumer<byte[], byte[]> consumer;
    /** Assigned, so that the consumer remembers who leads them. */
    private final Set<TopicPartition> known = new HashSet<>();

    private @Nullable AdminCalls calls;

    /** Connects when it is first needed. */
    CommitMarkers(PublisherSettings settings) {
        this.settings = settings;
        this.consumer = new KafkaConsumer<>(
                settings.kafka()
                        .with(Map.of(
                                ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                                "read_committed",
                                ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                                false,
                                ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG,
                                false,
                                ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
                                (int) settings.requestTimeout().toMillis())),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
    }

    /**
     * Waits as long as a request may take.
     *
     * @param written the offset of the transaction's last record on each of its partitions
     * @throws TimeoutException if they are not there by then: what becomes of the transaction is unknown
     * @throws org.apache.kafka.common.KafkaException if Kafka cannot be asked
     */
    void await(Map<TopicPartition, Long> written) throws InterruptedException {
        if (known.addAll(written.keySet())) {
            consumer.assign(known);
        }
        Map<TopicPartition, Long> open = new HashMap<>(written);
        long began = System.nanoTime();
        long suspicious = SUSPICIOUS.toNanos();
        long pause = PAUSE_MIN_MILLIS;
        while (true) {
            // Readers of committed records get as far as this: to the first record that is undecided, whoever wrote it.
            consumer.endOffsets(open.keySet())
                    .forEach((partition, stable) ->
                            open.computeIfPresent(partition, (same, offset) -> offset < stable ? null : offset));
            if (!open.isEmpty() && System.nanoTime() - began > suspicious) {
                open.keySet().retainAll(ours(open.keySet()));
                suspicious += SUSPICIOUS.toNanos();
            }
            if (open.isEmpty()) {
                return;
            }
            if (System.nanoTime() - began > settings.requestTimeout().toNanos()) {
                throw new TimeoutException("Kafka confirmed a commit of " + settings.transactionalId()
                        + ", but it is still undecided on " + open.keySet() + " after "
                        + settings.requestTimeout().toMillis() + " ms");
            }
            Thread.sleep(pause);
            pause = Math.min(PAUSE_MAX_MILLIS, 2 * pause);
        }
    }

    /** Those where our own transaction is open; on the others an operator's holds up the readers. */
    private Set<TopicPartition> ours(Set<TopicPartition> partitions) throws InterruptedException {
        AdminCalls asked = calls;
        if (asked == null) {
            asked = new AdminCalls(settings.kafka(), settings.requestTimeout());
            calls = asked;
        }
        String id = settings.transactionalId();
        long producer = asked.call(
                        admin -> admin.describeTransactions(Set.of(id)).description(id))
                .producerId();
        Set<TopicPartition> open = new HashSet<>();
        asked.call(admin -> admin.describeProducers(partitions).all()).forEach((partition, state) -> {
            if (isOpen(state, producer)) {
                open.add(partition);
            }
        });
        return open;
    }

    private static boolean isOpen(PartitionProducerState state, long producer) {
        return state.activeProducers().stream()
                .anyMatch(active -> active.producerId() == producer
                        && active.currentTransactionStartOffset().isPresent());
    }

    @Override
    public void close() {
        consumer.close(CloseOptions.timeout(CLOSE_TIMEOUT));
        if (calls != null) {
            calls.close();
        }
    }
}
