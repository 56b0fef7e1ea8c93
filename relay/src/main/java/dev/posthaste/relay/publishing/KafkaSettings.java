package dev.posthaste.relay.publishing;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/**
 * How to reach Kafka. {@code toString} keeps the properties to itself: they may hold credentials.
 *
 * @param bootstrapServers host:port, comma-separated
 * @param properties further client properties, for security above all
 */
public record KafkaSettings(String bootstrapServers, Map<String, String> properties) {

    /** What exactly-once rests on; nobody else sets it. */
    private static final List<String> OURS = List.of(
            "bootstrap.servers",
            "transactional.id",
            "transaction.timeout.ms",
            "enable.idempotence",
            "acks",
            "isolation.level",
            "max.in.flight.requests.per.connection",
            "retries",
            "key.serializer",
            "value.serializer",
            "key.deserializer",
            "value.deserializer",
            "group.id",
            "enable.auto.commit",
            "auto.offset.reset");

    /**
     * Checks the properties.
     *
     * @throws IllegalArgumentException naming a property that is the relay's own
     */
    public KafkaSettings {
        properties = Map.copyOf(properties);
        for (String name : properties.keySet()) {
            if (OURS.contains(name)) {
                throw new IllegalArgumentException("kafka.properties has " + name
                        + ", which the relay sets itself because exactly-once rests on it; remove it");
            }
        }
    }

    /** The properties for an admin client or a consumer, with additions of the caller's. */
    public Map<String, Object> with(Map<String, ?> additions) {
        Map<String, Object> all = new HashMap<>(properties);
        all.put("bootstrap.servers", bootstrapServers);
        all.putAll(additions);
        return all;
    }

    /** The same as {@link Properties}. */
    Properties asProperties(Map<String, ?> additions) {
        Properties all = new Properties();
        all.putAll(with(additions));
        return all;
    }

    @Override
    public String toString() {
        return "Kafka at " + bootstrapServers;
    }
}
