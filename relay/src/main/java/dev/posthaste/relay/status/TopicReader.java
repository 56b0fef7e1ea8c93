package dev.posthaste.relay.status;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.TopicPartition;

import dev.posthaste.relay.publishing.AdminCalls;
import dev.posthaste.relay.publishing.KafkaSettings;
import dev.posthaste.schemas.Namespace;
import dev.posthaste.schemas.catalog.Catalog;
import dev.posthaste.schemas.catalog.HandlerRecord;

/** Reads how the handlers' topics stand. */
final class TopicReader implements AutoCloseable {

    private final AdminCalls kafka;

    TopicReader(KafkaSettings settings, Duration timeout) {
        this.kafka = new AdminCalls(settings, timeout);
    }

    List<OutboxStatus.TopicStatus> read(Namespace namespace, Catalog catalog) throws InterruptedException {
        List<String> wanted = new ArrayList<>();
        for (HandlerRecord handler : catalog.handlers()) {
            wanted.add(namespace.topic(handler.handler()));
            wanted.add(namespace.retryTopic(handler.handler()));
            wanted.add(namespace.deadLetterTopic(handler.handler()));
        }
        Set<String> there = kafka.call(admin -> admin.listTopics().names());
        Map<String, TopicDescription> descriptions = kafka.call(admin -> admin.describeTopics(
                        wanted.stream().filter(there::contains).toList())
                .allTopicNames());
        Map<TopicPartition, ListOffsetsResultInfo> ends = ends(descriptions);
        return wanted.stream().map(name -> status(name, descriptions, ends)).toList();
    }

    private Map<TopicPartition, ListOffsetsResultInfo> ends(Map<String, TopicDescription> descriptions)
            throws InterruptedException {
        Map<TopicPartition, OffsetSpec> latest = new HashMap<>();
        descriptions.forEach((name, description) -> description
                .partitions()
                .forEach(
                        partition -> latest.put(new TopicPartition(name, partition.partition()), OffsetSpec.latest())));
        return kafka.call(admin -> admin.listOffsets(latest).all());
    }

    private static OutboxStatus.TopicStatus status(
            String name, Map<String, TopicDescription> descriptions, Map<TopicPartition, ListOffsetsResultInfo> ends) {
        TopicDescription description = descriptions.get(name);
        if (description == null) {
            return new OutboxStatus.TopicStatus(name, false, 0, 0);
        }
        long records = ends.entrySet().stream()
                .filter(entry -> entry.getKey().topic().equals(name))
                .mapToLong(entry -> entry.getValue().offset())
                .sum();
        return new OutboxStatus.TopicStatus(name, true, description.partitions().size(), records);
    }

    @Override
    public void close() {
        kafka.close();
    }
}
