package dev.posthaste.relay.publishing;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * How to reach Kafka. {@code toString} keeps the properties to itself: they may hold credentials.
 *
 * @param bootstrapServers host:port, comma-separated
 * @param properties further client properties, for security above all
 */
public record KafkaSettings(String bootstrapServers, Map<String, String> properties) {

    /** What exactly-once, the order per key and our own time limits rest on; nobody else sets it. */
    private static final Set<String> OURS = Set.of(
            "bootstrap.servers",
            "client.id",
            // producer
            "transactional.id",
            "transaction.timeout.ms",
            "enable.idempotence",
            "acks",
            "retries",
            "retry.backoff.ms",
            "max.in.flight.requests.per.connection",
            "partitioner.class",
            "partitioner.ignore.keys",
            "interceptor.classes",
            "compression.type",
            "linger.ms",
            "max.request.size",
            "max.block.ms",
            "request.timeout.ms",
            "delivery.timeout.ms",
            "key.serializer",
            "value.serializer",
            // consumer and admin client
            "isolation.level",
            "group.id",
            "enable.auto.commit",
            "auto.offset.reset",
            "allow.auto.create.topics",
            "default.api.timeout.ms",
            "fetch.max.wait.ms",
            "key.deserializer",
            "value.deserializer");

    /**
     * Checks address and properties.
     *
     * @throws IllegalArgumentException if the address is empty, or naming a property that is the relay's own
     */
    public KafkaSettings {
        if (bootstrapServers.isBlank()) {
            throw new IllegalArgumentException(
                    "kafka.bootstrapServers is empty, but must name a broker at least, as host:port");
        }
        properties = Map.copyOf(properties);
        for (String name : properties.keySet()) {
            if (OURS.contains(name)) {
                throw new IllegalArgumentException("kafka.properties has " + name
                        + ", which the relay sets itself, since what it promises rests on it; remove it");
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

    @Override
    public String toString() {
        return "Kafka at " + bootstrapServers;
    }
}
