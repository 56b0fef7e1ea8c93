package dev.posthaste.relay.setup;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.config.TopicConfig;

import dev.posthaste.relay.publishing.AdminCalls;
import dev.posthaste.relay.publishing.KafkaSettings;
import dev.posthaste.schemas.Namespace;
import dev.posthaste.schemas.catalog.Catalog;
import dev.posthaste.schemas.catalog.HandlerRecord;

/**
 * Makes the topics: three for each handler, one for the position, one for the consumers' outcomes. The relay itself
 * holds no right to.
 */
public final class TopicSetup {

    /** Room beside the largest payload, 8 MiB, for key, headers and the record's own frame. */
    private static final int MESSAGE_BYTES_MAX = 9 * 1024 * 1024;

    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    private final KafkaSettings kafka;
    private final Namespace namespace;
    private final int partitions;
    private final Optional<Short> replicationFactor;

    /**
     * Prepares the step.
     *
     * @param partitions of each handler topic made; those there are left as they are
     * @param replicationFactor of each topic made; empty: the broker's default
     */
    public TopicSetup(KafkaSettings kafka, Namespace namespace, int partitions, Optional<Short> replicationFactor) {
        this.kafka = kafka;
        this.namespace = namespace;
        this.partitions = partitions;
        this.replicationFactor = replicationFactor;
    }

    /**
     * Makes what is missing.
     *
     * @throws org.apache.kafka.common.KafkaException if Kafka cannot be reached or refuses
     */
    public List<StepResult> make(Catalog catalog) throws InterruptedException {
        Map<String, NewTopic> wanted = new LinkedHashMap<>();
        for (HandlerRecord handler : catalog.handlers()) {
            add(wanted, namespace.topic(handler.handler()), partitions, Map.of());
            add(wanted, namespace.retryTopic(handler.handler()), partitions, Map.of());
            // Dead letters stay until somebody resolves them.
            add(
                    wanted,
                    namespace.deadLetterTopic(handler.handler()),
                    partitions,
                    Map.of(TopicConfig.RETENTION_MS_CONFIG, "-1"));
        }
        add(wanted, namespace.outcomesTopic(), partitions, Map.of());
        // Compaction never touches the active segment: small ones, or a takeover reads long.
        add(
                wanted,
                namespace.positionTopic(),
                1,
                Map.of(
                        TopicConfig.CLEANUP_POLICY_CONFIG,
                        TopicConfig.CLEANUP_POLICY_COMPACT,
                        TopicConfig.SEGMENT_BYTES_CONFIG,
                        Integer.toString(1024 * 1024),
                        TopicConfig.MIN_CLEANABLE_DIRTY_RATIO_CONFIG,
                        "0.01"));
        try (AdminCalls calls = new AdminCalls(kafka, TIMEOUT)) {
            Set<String> there = calls.call(admin -> admin.listTopics().names());
            List<NewTopic> missing = wanted.values().stream()
                    .filter(topic -> !there.contains(topic.name()))
                    .toList();
            calls.call(admin -> admin.createTopics(missing).all());
            List<StepResult> results = new ArrayList<>();
            for (String name : wanted.keySet()) {
                results.add(
                        there.contains(name) ? StepResult.there("topic " + name) : StepResult.made("topic " + name));
            }
            return results;
        }
    }

    private void add(Map<String, NewTopic> wanted, String name, int partitionCount, Map<String, String> more) {
        Map<String, String> configs = new LinkedHashMap<>(more);
        configs.put(TopicConfig.MAX_MESSAGE_BYTES_CONFIG, Integer.toString(MESSAGE_BYTES_MAX));
        wanted.put(name, new NewTopic(name, Optional.of(partitionCount), replicationFactor).configs(configs));
    }
}
