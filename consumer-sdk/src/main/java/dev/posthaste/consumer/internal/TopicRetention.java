package dev.posthaste.consumer.internal;

import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.posthaste.consumer.StopReason;
import dev.posthaste.consumer.StoppedPartition;
import dev.posthaste.consumer.inbox.Printable;

/**
 * Nothing of a topic is read before it is known that the inbox remembers longer than the topic keeps: an inbox that
 * forgets first has a message's effect twice when it comes again. Used by the loop's thread, but for {@link #refused}.
 */
final class TopicRetention {

    private static final Logger LOG = LoggerFactory.getLogger(TopicRetention.class);
    private static final int REQUEST_MILLIS = 5_000;

    private final String handler;
    private final String topic;
    private final @Nullable Duration inboxRetention;
    private final Map<String, Object> kafka;
    private final Clock clock;
    private boolean covered;
    private volatile @Nullable StoppedPartition refused;

    TopicRetention(HandlerSetup setup, String topic) {
        this.handler = setup.handler();
        this.topic = topic;
        this.inboxRetention = setup.settings().retentionOrNull();
        this.kafka = adminSettings(setup.kafka().consumer());
        this.clock = setup.clock();
        this.covered = inboxRetention == null;
    }

    private static Map<String, Object> adminSettings(Map<String, Object> consumer) {
        Map<String, Object> settings = new HashMap<>();
        consumer.forEach((name, value) -> {
            if (AdminClientConfig.configNames().contains(name)) {
                settings.put(name, value);
            }
        });
        settings.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, REQUEST_MILLIS);
        settings.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, REQUEST_MILLIS);
        return settings;
    }

    /**
     * Whether the topic may be read; asks Kafka until it may, and then no more.
     *
     * @throws KafkaException if Kafka does not answer, or has no such topic
     */
    boolean isCovered() {
        if (!covered) {
            String objection = objection();
            covered = objection == null;
            tell(objection);
        }
        return covered;
    }

    /** The topic is gone: one that is made in its place may keep its records longer. */
    void forget() {
        covered = inboxRetention == null;
    }

    /** Why it may not be read, where that is so. */
    Optional<StoppedPartition> refused() {
        return Optional.ofNullable(refused);
    }

    private void tell(@Nullable String objection) {
        if (objection != null && refused == null) {
            LOG.error("handler {} does not read {}: {}", handler, topic, objection);
        }
        refused = objection == null
                ? null
                : new StoppedPartition(
                        handler,
                        topic,
                        StoppedPartition.ALL,
                        -1,
                        null,
                        StopReason.RETENTION_TOO_SHORT,
                        null,
                        objection,
                        clock.instant());
    }

    private @Nullable String objection() {
        try {
            Config config = describe();
            long retention = number(config, TopicConfig.RETENTION_MS_CONFIG);
            boolean deletes = String.valueOf(value(config, TopicConfig.CLEANUP_POLICY_CONFIG))
                    .contains(TopicConfig.CLEANUP_POLICY_DELETE);
            if (retention < 0 || !deletes) {
                return "the inbox's retention is " + inboxRetention + ", but the topic keeps its records for ever; set"
                        + " the topic's retention.ms and cleanup.policy=delete, or the consumer's retention to"
                        + " ConsumerSettings.FOREVER";
            }
            Duration segment = Duration.ofMillis(number(config, TopicConfig.SEGMENT_MS_CONFIG));
            Duration kept = Duration.ofMillis(retention).plus(segment);
            return inboxRetention != null && inboxRetention.compareTo(kept) >= 0
                    ? null
                    : "the inbox's retention is " + inboxRetention + ", but the topic keeps records for up to " + kept
                            + " (retention.ms " + Duration.ofMillis(retention) + " and segment.ms " + segment
                            + "); make the consumer's retention at least that, or the topic's shorter";
        } catch (AuthorizationException e) {
            return "how long the topic keeps its records is not known, since this consumer may not read the topic's"
                    + " settings; allow it DESCRIBE_CONFIGS on the topic ("
                    + Printable.of(String.valueOf(e.getMessage())) + ")";
        }
    }

    private Config describe() {
        ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        try (Admin admin = Admin.create(kafka)) {
            return Objects.requireNonNull(
                    admin.describeConfigs(List.of(resource)).all().get().get(resource));
        } catch (InterruptedException e) {
            throw new InterruptException(e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof KafkaException cause ? named(cause) : new KafkaException(e.getCause());
        }
    }

    /** Kafka says nothing but that. */
    private KafkaException named(KafkaException cause) {
        return cause instanceof UnknownTopicOrPartitionException ? missing(topic) : cause;
    }

    static UnknownTopicOrPartitionException missing(String topic) {
        return new UnknownTopicOrPartitionException(
                "there is no topic " + topic + "; make it, or have `posthaste init` make it");
    }

    private static long number(Config config, String name) {
        return Long.parseLong(value(config, name));
    }

    private static String value(Config config, String name) {
        return config.get(name).value();
    }
}
