package dev.posthaste.chaos.collect;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicLong;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** How many committed records of a topic its group has not finished. Used by one thread. */
final class GroupLag implements AutoCloseable {

    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final Admin admin;
    private final TopicReader reader;

    GroupLag(String bootstrapServers) {
        String millis = Long.toString(TIMEOUT.toMillis());
        this.admin = Admin.create(Map.of(
                "bootstrap.servers", bootstrapServers,
                "request.timeout.ms", millis,
                "default.api.timeout.ms", millis));
        this.reader = new TopicReader(bootstrapServers, TIMEOUT);
    }

    /** Counted by reading them: offsets alone count the marks at the end of transactions as well. */
    long records(String topic, String group) throws InterruptedException, ExecutionException {
        Map<TopicPartition, Long> from = new HashMap<>(reader.beginnings(topic));
        Map<TopicPartition, OffsetAndMetadata> committed = admin.listConsumerGroupOffsets(group)
                .partitionsToOffsetAndMetadata()
                .get();
        from.replaceAll((partition, beginning) -> {
            OffsetAndMetadata offset = committed.get(partition);
            return offset == null ? beginning : Math.max(beginning, offset.offset());
        });
        AtomicLong records = new AtomicLong();
        reader.read(from, record -> records.incrementAndGet());
        return records.get();
    }

    @Override
    public void close() {
        reader.close();
        admin.close(Duration.ZERO);
    }
}
