package dev.posthaste.chaos.collect;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** How much is committed on a topic, by its offsets. Used by one thread at a time. */
final class TopicEnds implements AutoCloseable {

    private final String topic;
    private final Admin admin;
    private @Nullable Map<TopicPartition, Long> beginnings;

    TopicEnds(String bootstrapServers, String topic, Duration timeout) {
        String millis = Long.toString(timeout.toMillis());
        this.topic = topic;
        this.admin = Admin.create(Map.of(
                "bootstrap.servers", bootstrapServers,
                "request.timeout.ms", millis,
                "default.api.timeout.ms", millis));
    }

    /** Offsets between the beginnings and the ends of what is committed, of all partitions. */
    synchronized Long sum() throws InterruptedException, ExecutionException {
        Map<TopicPartition, Long> from = beginnings;
        if (from == null) {
            from = offsets(partitions(), OffsetSpec.earliest());
            beginnings = from;
        }
        long sum = 0;
        for (Map.Entry<TopicPartition, Long> end :
                offsets(List.copyOf(from.keySet()), OffsetSpec.latest()).entrySet()) {
            sum += end.getValue() - from.getOrDefault(end.getKey(), 0L);
        }
        return sum;
    }

    private List<TopicPartition> partitions() throws InterruptedException, ExecutionException {
        return admin.describeTopics(List.of(topic)).allTopicNames().get().values().stream()
                .flatMap(description -> description.partitions().stream())
                .map(info -> new TopicPartition(topic, info.partition()))
                .toList();
    }

    private Map<TopicPartition, Long> offsets(List<TopicPartition> partitions, OffsetSpec spec)
            throws InterruptedException, ExecutionException {
        Map<TopicPartition, OffsetSpec> asked =
                partitions.stream().collect(Collectors.toMap(partition -> partition, partition -> spec));
        Map<TopicPartition, Long> offsets = new HashMap<>();
        for (Map.Entry<TopicPartition, ListOffsetsResult.ListOffsetsResultInfo> answer : admin.listOffsets(
                        asked, new ListOffsetsOptions(IsolationLevel.READ_COMMITTED))
                .all()
                .get()
                .entrySet()) {
            offsets.put(answer.getKey(), answer.getValue().offset());
        }
        return offsets;
    }

    @Override
    public void close() {
        admin.close(Duration.ZERO);
    }
}
