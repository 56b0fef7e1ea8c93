package dev.posthaste.relay.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.FeatureMetadata;
import org.apache.kafka.clients.admin.FinalizedVersionRange;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.jspecify.annotations.Nullable;

import dev.posthaste.relay.publishing.AdminCalls;
import dev.posthaste.schemas.MessageLimits;
import dev.posthaste.schemas.Namespace;
import dev.posthaste.schemas.catalog.Catalog;

/** The broker, the topics, and what the relay may do with them. */
final class KafkaExam {

    private static final int TRANSACTION_VERSION_MIN = 2;

    private final AdminCalls kafka;
    private final Namespace namespace;
    private final Catalog catalog;

    KafkaExam(AdminCalls kafka, Namespace namespace, Catalog catalog) {
        this.kafka = kafka;
        this.namespace = namespace;
        this.catalog = catalog;
    }

    List<Finding> examine() throws InterruptedException {
        List<Finding> findings = new ArrayList<>();
        findings.add(transactionVersion(kafka));
        List<String> written = Stream.concat(
                        catalog.handlers().stream().map(handler -> namespace.topic(handler.handler())),
                        Stream.of(namespace.positionTopic()))
                .toList();
        Set<String> there = kafka.call(admin -> admin.listTopics().names());
        for (String topic : allTopics()) {
            if (!there.contains(topic)) {
                findings.add(Finding.error(
                        "topic." + topic,
                        "does not exist, or may not be described",
                        "nothing can be published to it, and the batch that has a message for it waits",
                        "run posthaste init"));
            }
        }
        List<String> existing = written.stream().filter(there::contains).toList();
        Map<String, TopicDescription> descriptions = kafka.call(
                admin -> admin.describeTopics(existing, new DescribeTopicsOptions().includeAuthorizedOperations(true))
                        .allTopicNames());
        Map<String, Config> configs = configs(existing);
        for (String topic : existing) {
            findings.addAll(topic(topic, Objects.requireNonNull(descriptions.get(topic)), configs.get(topic)));
        }
        return findings;
    }

    private List<String> allTopics() {
        List<String> topics = new ArrayList<>();
        catalog.handlers().forEach(handler -> {
            topics.add(namespace.topic(handler.handler()));
            topics.add(namespace.retryTopic(handler.handler()));
            topics.add(namespace.deadLetterTopic(handler.handler()));
        });
        topics.add(namespace.positionTopic());
        return topics;
    }

    static Finding transactionVersion(AdminCalls kafka) throws InterruptedException {
        FeatureMetadata features = kafka.call(admin -> admin.describeFeatures().featureMetadata());
        FinalizedVersionRange range = features.finalizedFeatures().get("transaction.version");
        short version = range == null ? 0 : range.maxVersionLevel();
        return version >= TRANSACTION_VERSION_MIN
                ? Finding.ok("kafka.transaction.version", Short.toString(version))
                : Finding.error(
                        "kafka.transaction.version",
                        Short.toString(version),
                        "before version 2 a delayed end of an old transaction can tear a new one: exactly once does not hold",
                        "upgrade the brokers to 4.0 or newer, then kafka-features.sh upgrade --feature transaction.version=2");
    }

    private Map<String, Config> configs(List<String> topics) throws InterruptedException {
        List<ConfigResource> resources = topics.stream()
                .map(topic -> new ConfigResource(ConfigResource.Type.TOPIC, topic))
                .toList();
        try {
            Map<String, Config> configs = new TreeMap<>();
            kafka.call(admin -> admin.describeConfigs(resources).all())
                    .forEach((resource, config) -> configs.put(resource.name(), config));
            return configs;
        } catch (KafkaException e) {
            return Map.of(); // told for each topic below
        }
    }

    private List<Finding> topic(String topic, TopicDescription description, @Nullable Config config) {
        List<Finding> findings = new ArrayList<>();
        String subject = "topic." + topic;
        boolean position = topic.equals(namespace.positionTopic());
        findings.addAll(operations(subject, description.authorizedOperations(), position));
        int replicas = description.partitions().get(0).replicas().size();
        if (config == null) {
            findings.add(Finding.warning(
                    subject,
                    "its settings may not be read",
                    "limits and durability cannot be examined",
                    "allow DescribeConfigs on the topic to the role that runs posthaste doctor"));
            return findings;
        }
        int insync = number(config, TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG);
        findings.add(
                replicas >= 3 && insync >= 2
                        ? Finding.ok(subject + ".replicas", replicas + " replicas, " + insync + " in sync at least")
                        : Finding.warning(
                                subject + ".replicas",
                                replicas + " replicas, " + insync + " in sync at least",
                                "the loss of one broker may lose acknowledged messages, the position among them",
                                "3 replicas and min.insync.replicas=2"));
        if (position) {
            String policy = text(config, TopicConfig.CLEANUP_POLICY_CONFIG);
            findings.add(
                    policy.equals(TopicConfig.CLEANUP_POLICY_COMPACT)
                                    && description.partitions().size() == 1
                            ? Finding.ok(subject + ".policy", policy)
                            : Finding.error(
                                    subject + ".policy",
                                    policy + ", " + description.partitions().size() + " partitions",
                                    "any other policy deletes the position one day; the relay then halts",
                                    "kafka-configs.sh --alter --add-config cleanup.policy=compact"));
        } else {
            int limit = number(config, TopicConfig.MAX_MESSAGE_BYTES_CONFIG);
            findings.add(
                    limit > MessageLimits.PAYLOAD_BYTES_MAX
                            ? Finding.ok(subject + ".max.message.bytes", Integer.toString(limit))
                            : Finding.warning(
                                    subject + ".max.message.bytes",
                                    Integer.toString(limit),
                                    "the outbox takes payloads up to " + MessageLimits.PAYLOAD_BYTES_MAX
                                            + " bytes; larger ones than this cannot be published",
                                    "kafka-configs.sh --alter --add-config max.message.bytes=9437184"));
        }
        return findings;
    }

    private static List<Finding> operations(String subject, @Nullable Set<AclOperation> allowed, boolean position) {
        if (allowed == null) {
            return List.of();
        }
        List<AclOperation> needed = position
                ? List.of(AclOperation.WRITE, AclOperation.READ, AclOperation.DESCRIBE)
                : List.of(AclOperation.WRITE, AclOperation.DESCRIBE);
        List<AclOperation> missing = needed.stream()
                .filter(operation -> !allowed.contains(operation))
                .toList();
        return List.of(
                missing.isEmpty()
                        ? Finding.ok(subject + ".operations", needed.toString())
                        : Finding.error(
                                subject + ".operations",
                                "not allowed: " + missing,
                                "the relay cannot publish",
                                "kafka-acls.sh --add --allow-principal … --operation " + missing.get(0) + " --topic "
                                        + subject.substring("topic.".length())));
    }

    private static int number(Config config, String name) {
        return Integer.parseInt(text(config, name));
    }

    private static String text(Config config, String name) {
        return Optional.ofNullable(config.get(name)).map(ConfigEntry::value).orElse("0");
    }
}
