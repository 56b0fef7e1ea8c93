package dev.posthaste.consumer.internal;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

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
