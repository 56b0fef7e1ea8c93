package dev.posthaste.testkit;

import java.util.Locale;

import org.testcontainers.kafka.KafkaContainer;

/** The broker in a container, with the settings the embedded one has. */
final class ContainerKafka implements KafkaBroker {

    private static final int CLIENT_PORT = 9092;

    private final KafkaContainer container;

    private ContainerKafka(KafkaContainer container) {
        this.container = container;
    }

    static ContainerKafka launch(ServerSettings settings) {
        ContainerPorts.refuseDirectory(settings, "Kafka");
        KafkaContainer container = new KafkaContainer(Images.KAFKA);
        KafkaOptions.with(settings.options()).forEach((name, value) -> container.withEnv(environmentName(name), value));
        ContainerPorts.bind(container, settings.port(), CLIENT_PORT);
        container.start();
        return new ContainerKafka(container);
    }

    /** The image's rule: {@code log.retention.ms} is {@code KAFKA_LOG_RETENTION_MS}. */
    static String environmentName(String option) {
        return "KAFKA_" + option.toUpperCase(Locale.ROOT).replace('.', '_');
    }

    @Override
    public String bootstrapServers() {
        return container.getBootstrapServers();
    }

    @Override
    public void close() {
        container.stop();
    }
}
