package dev.posthaste.consumer.internal;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

import dev.posthaste.consumer.ConsumerSettings;

/**
 * The settings of a handler's Kafka consumer. Cooperative-sticky rather than the broker-side group protocol: a dead
 * member's partitions are given away after a time that is set here, at the client, and not for the whole broker; both
 * move only the partitions that must move.
 */
public final class KafkaSettings {

    private static final Set<String> OWN = Set.of(
            ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
            ConsumerConfig.GROUP_ID_CONFIG,
            ConsumerConfig.GROUP_INSTANCE_ID_CONFIG,
            ConsumerConfig.GROUP_PROTOCOL_CONFIG,
            ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG,
            ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG,
            ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG,
            ConsumerConfig.ISOLATION_LEVEL_CONFIG,
            ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
            ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
            ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG,
            ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG,
            ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG);

    private static final int REQUEST_MILLIS = 5_000;
    private static final int DELIVERY_MILLIS = 10_000;
    private static final int OUTCOMES_BLOCK_MILLIS = 2_000;

    /** What the topic took once is not refused here; the topic's own limit decides. */
    private static final int REQUEST_BYTES_MAX = 64 * 1024 * 1024;

    private KafkaSettings() {}

    /** Refuses settings on which the promises rest. */
    public static void check(Map<String, String> further) {
        Set<String> refused = new TreeSet<>(further.keySet());
        refused.retainAll(OWN);
        if (!refused.isEmpty()) {
            throw new IllegalArgumentException("kafka(...) has " + refused
                    + ", which the SDK sets itself because its promises rest on them; take" + " them out");
        }
    }

    /** The settings for one group. */
    public static Map<String, Object> of(
            String bootstrapServers, String group, ConsumerSettings settings, Map<String, String> further) {
        Map<String, Object> all = new HashMap<>(further);
        int sessionMillis = (int) settings.sessionTimeout().toMillis();
        all.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
        all.put(ConsumerConfig.GROUP_ID_CONFIG, group);
        all.put(ConsumerConfig.GROUP_PROTOCOL_CONFIG, "classic");
        all.put(
                ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG,
                List.of(CooperativeStickyAssignor.class.getName()));
        all.put(ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG, sessionMillis);
        all.put(ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, sessionMillis / 6);
        all.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        all.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        all.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
        all.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
        all.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
        all.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
        check(all, further);
        return all;
    }

    /** The settings of the producer that emits retries and dead letters: idempotent, and bounded in every wait. */
    public static Map<String, Object> ofProducer(String bootstrapServers, Map<String, String> further) {
        Map<String, Object> all = new HashMap<>();
        further.forEach((name, value) -> {
            if (ProducerConfig.configNames().contains(name)) {
                all.put(name, value);
            }
        });
        all.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
        all.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
        all.put(ProducerConfig.ACKS_CONFIG, "all");
        all.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, REQUEST_MILLIS);
        all.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, DELIVERY_MILLIS);
        all.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, REQUEST_MILLIS);
        all.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, REQUEST_BYTES_MAX);
        all.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
        all.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
        return all;
    }

    /** The settings of the producer that tells outcomes: it waits less, since nothing waits for it. */
    public static Map<String, Object> ofOutcomes(String bootstrapServers, Map<String, String> further) {
        Map<String, Object> all = ofProducer(bootstrapServers, further);
        all.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, OUTCOMES_BLOCK_MILLIS);
        return all;
    }

    /** Kafka's own check, now and not on the handler's thread. */
    private static void check(Map<String, Object> all, Map<String, String> further) {
        try {
            var unused = new ConsumerConfig(all);
        } catch (ConfigException e) {
            throw new IllegalArgumentException(
                    "Kafka refuses the settings " + new TreeSet<>(further.keySet()) + " or the address "
                            + all.get(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG) + ": " + e.getMessage(),
                    e);
        }
    }
}
