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
import org.apache.kafka.clients.admin.TransactionDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.TransactionalIdAuthorizationException;
import org.apache.kafka.common.errors.TransactionalIdNotFoundException;
import org.jspecify.annotations.Nullable;

import dev.posthaste.relay.publishing.AdminCalls;
import dev.posthaste.schemas.MessageLimits;
import dev.posthaste.schemas.Namespace;
import dev.posthaste.schemas.catalog.Catalog;

/** The broker, the topics, and what the relay may do with them. */
final class KafkaExam {

    private static final int TRANSACTION_VERSION_MIN = 2;

    /** The first of 4.0. */
    private static final int METADATA_VERSION_MIN = 22;

    private final AdminCalls kafka;
    private final Namespace namespace;
    private final Catalog catalog;
    private final Map<String, Integer> partitionsFirst;

    /**
     * Examines the topics of that catalog.
     *
     * @param partitionsFirst how many partitions each topic had when it was first seen, where that is remembered
     */
    KafkaExam(AdminCalls kafka, Namespace namespace, Catalog catalog, Map<String, Integer> partitionsFirst) {
        this.kafka = kafka;
        this.namespace = namespace;
        this.catalog = catalog;
        this.partitionsFirst = partitionsFirst;
    }

    List<Finding> examine() throws InterruptedException {
        List<Finding> findings = new ArrayList<>();
        findings.addAll(versions(kafka));
        List<String> written = Stream.concat(catalog.topics(namespace).stream(), Stream.of(namespace.positionTopic()))
                .toList();
        Set<String> there = kafka.call(admin -> admin.listTopics().names());
        for (String topic : allTopics()) {
            if (!there.contains(topic)) {
                findings.add(Finding.error(
                        "topic." + topic,
                        "does not exist, or may not be described",
                        topic.equals(namespace.positionTopic())
                                ? "a relay without a position halts"
                                : "what goes there is quarantined for that handler, and tried again to a bound",
                        "run posthaste init, or allow DESCRIBE on the topic to the relay's principal"));
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

    /** Kafka tells no version of the broker, but which features all brokers of the cluster have agreed on. */
    static List<Finding> versions(AdminCalls kafka) throws InterruptedException {
        FeatureMetadata features = kafka.call(admin -> admin.describeFeatures().featureMetadata());
        short metadata = level(features, "metadata.version");
        short transactions = level(features, "transaction.version");
        return List.of(
                metadata >= METADATA_VERSION_MIN
                        ? Finding.ok("kafka.metadata.version", metadata + ": Kafka 4.0 or newer")
                        : Finding.error(
                                "kafka.metadata.version",
                                metadata + ": older than Kafka 4.0",
                                "its transactions can be torn by a delayed message of an old one: exactly once does not hold",
                                "upgrade the brokers to 4.0 or newer, then kafka-features.sh upgrade --release-version 4.0"),
                transactions >= TRANSACTION_VERSION_MIN
                        ? Finding.ok("kafka.transaction.version", Short.toString(transactions))
                        : Finding.error(
                                "kafka.transaction.version",
                                Short.toString(transactions),
                                "before version 2 a delayed end of an old transaction can tear a new one: exactly once does not hold",
                                "upgrade the brokers to 4.0 or newer, then kafka-features.sh upgrade --feature transaction.version=2"));
    }

    private static short level(FeatureMetadata features, String name) {
        FinalizedVersionRange range = features.finalizedFeatures().get(name);
        return range == null ? 0 : range.maxVersionLevel();
    }

    /**
     * Whether the relay may use its transactional id. Kafka tells no authorized operations of one, and only a relay
     * that starts tries to write: this asks for DESCRIBE, which WRITE implies.
     */
    static Finding transactionalId(AdminCalls kafka, String id) throws InterruptedException {
        String subject = "kafka.transactional-id";
        try {
            TransactionDescription description =
                    kafka.call(admin -> admin.describeTransactions(List.of(id)).description(id));
            return Finding.ok(subject, id + " is in use: " + description.state());
        } catch (TransactionalIdNotFoundException e) {
            return Finding.ok(subject, id + " may be described, and nobody has used it yet");
        } catch (TransactionalIdAuthorizationException e) {
            return Finding.error(
                    subject,
                    id + " may not be described",
                    "a relay opens every transaction under this id, and cannot lead without it",
                    "kafka-acls.sh --add --allow-principal User:… --operation Write --operation Describe --transactional-id "
                            + id);
        }
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
        findings.addAll(partitions(topic, description.partitions().size()));
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

    private List<Finding> partitions(String topic, int now) {
        Integer first = partitionsFirst.get(topic);
        if (first == null) {
            return List.of();
        }
        String subject = "topic." + topic + ".partitions";
        return List.of(
                first == now
                        ? Finding.ok(subject, now + ", as when it was first seen")
                        : Finding.error(
                                subject,
                                now + ", but " + first + " when it was first seen",
                                "keys have moved to other partitions: a message may overtake an earlier one of its key that is not handled yet",
                                "wait until the handler has handled what was published before the change, then run"
                                        + " posthaste init --accept-partitions"));
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
