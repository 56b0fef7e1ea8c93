package dev.posthaste.consumer.internal;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.SaslConfigs;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.utils.Utils;

import dev.posthaste.consumer.ConsumerSettings;

/**
 * The settings of a handler's Kafka clients. Cooperative-sticky rather than the broker-side group protocol: a dead
 * member's partitions are given away after a time that is set here, at the client, and not for the whole broker; both
 * move only the partitions that must move.
 */
public final class KafkaSettings {

    /** What the SDK sets itself, with the promise that rests on it. */
    private static final Map<String, String> OWN = new TreeMap<>();

    static {
        own("bootstrapServers(...) sets it", ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG);
        own(
                "ConsumerSettings.sessionTimeout sets it",
                ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG,
                ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG);
        own(
                "each topic has a group of its name, whose partitions one member at a time has",
                ConsumerConfig.GROUP_ID_CONFIG,
                ConsumerConfig.GROUP_INSTANCE_ID_CONFIG,
                ConsumerConfig.GROUP_PROTOCOL_CONFIG,
                ConsumerConfig.GROUP_REMOTE_ASSIGNOR_CONFIG,
                ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG);
        own(
                "no record is passed over, and no offset committed before its record is finished",
                ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG,
                ConsumerConfig.INTERCEPTOR_CLASSES_CONFIG);
        own(
                "records go on byte for byte",
                ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG,
                ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG,
                ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG,
                ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG);
        own(
                "retries and dead letters go out once accepted by all replicas, whatever their size, and every wait for"
                        + " that is bounded",
                ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG,
                ProducerConfig.ACKS_CONFIG,
                ProducerConfig.RETRIES_CONFIG,
                ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION,
                ProducerConfig.LINGER_MS_CONFIG,
                ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG,
                ProducerConfig.MAX_BLOCK_MS_CONFIG,
                ProducerConfig.MAX_REQUEST_SIZE_CONFIG,
                ProducerConfig.BUFFER_MEMORY_CONFIG,
                ProducerConfig.TRANSACTIONAL_ID_CONFIG,
                ProducerConfig.TRANSACTION_TIMEOUT_CONFIG,
                ProducerConfig.TRANSACTION_TWO_PHASE_COMMIT_ENABLE_CONFIG);
        own(
                "retries of a key come back in order, on one partition",
                ProducerConfig.PARTITIONER_CLASS_CONFIG,
                ProducerConfig.PARTITIONER_IGNORE_KEYS_CONFIG);
    }

    private static void own(String rule, String... names) {
        for (String name : names) {
            OWN.put(name, rule);
        }
    }

    /** Those log in at another server when the client is made, which may be away when a service starts. */
    private static final Set<String> REMOTE_LOGINS = Set.of("GSSAPI", "OAUTHBEARER");

    /** Nobody is asked for its name, and nobody connects to it. */
    private static final String NO_ADDRESS = "127.0.0.1:1";

    private static final int REQUEST_MILLIS = 5_000;
    private static final int DELIVERY_MILLIS = 10_000;
    private static final int OUTCOMES_BLOCK_MILLIS = 2_000;

    /** What the topic took once is not refused here; the topic's own limit decides. */
    private static final int REQUEST_BYTES_MAX = 64 * 1024 * 1024;

    private KafkaSettings() {}

    /**
     * Refuses settings on which the promises rest.
     *
     * @throws IllegalArgumentException naming each with its value and the promise
     */
    public static void check(Map<String, String> further) {
        String refused = OWN.entrySet().stream()
                .filter(own -> further.containsKey(own.getKey()))
                .map(own -> own.getKey() + "=" + further.get(own.getKey()) + " (" + own.getValue() + ")")
                .collect(Collectors.joining(", "));
        if (!refused.isEmpty()) {
            throw new IllegalArgumentException("kafka(...) has " + refused
                    + ": the SDK sets these itself because its promises rest on them; take them out");
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
        checkAddresses(bootstrapServers);
        check(further, () -> checkConsumer(all));
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
        check(further, () -> new ProducerConfig(all));
        return all;
    }

    /** The settings of the producer that tells outcomes: it waits less, since nothing waits for it. */
    public static Map<String, Object> ofOutcomes(String bootstrapServers, Map<String, String> further) {
        Map<String, Object> all = ofProducer(bootstrapServers, further);
        all.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, OUTCOMES_BLOCK_MILLIS);
        return all;
    }

    private static void checkAddresses(String bootstrapServers) {
        for (String address : bootstrapServers.split(",", -1)) {
            if (Utils.getHost(address.strip()) == null || Utils.getPort(address.strip()) == null) {
                throw new IllegalArgumentException("bootstrapServers is \"" + bootstrapServers + "\", in which \""
                        + address + "\" is no address; write host:port, separated by commas");
            }
        }
    }

    /** Kafka's own check, now and not on the handler's thread. */
    private static void check(Map<String, String> further, Runnable kafkas) {
        try {
            kafkas.run();
        } catch (KafkaException e) {
            Throwable cause = e;
            while (cause.getCause() != null) {
                cause = cause.getCause();
            }
            throw new IllegalArgumentException(
                    "Kafka refuses the settings " + new TreeSet<>(further.keySet()) + ": " + cause.getMessage(), e);
        }
    }

    /** Its constructor reads key stores and credentials as well; it does not connect. */
    private static void checkConsumer(Map<String, Object> settings) {
        Map<String, Object> offline = new HashMap<>(settings);
        offline.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, NO_ADDRESS);
        if (hasRemoteLogin(new ConsumerConfig(offline))) {
            return;
        }
        new KafkaConsumer<byte[], byte[]>(offline).close(CloseOptions.timeout(Duration.ZERO));
    }

    private static boolean hasRemoteLogin(ConsumerConfig config) {
        return config.getString(CommonClientConfigs.SECURITY_PROTOCOL_CONFIG)
                        .toUpperCase(Locale.ROOT)
                        .startsWith("SASL")
                && REMOTE_LOGINS.contains(config.getString(SaslConfigs.SASL_MECHANISM));
    }
}
