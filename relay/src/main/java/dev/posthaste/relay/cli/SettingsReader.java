package dev.posthaste.relay.cli;

import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Function;

import dev.posthaste.relay.RelaySettings;
import dev.posthaste.relay.publishing.KafkaSettings;
import dev.posthaste.schemas.HumanDuration;
import dev.posthaste.schemas.Namespace;

/** Makes the relay's settings of their texts; here stand the defaults. */
final class SettingsReader {

    private final Settings settings;

    SettingsReader(Settings settings) {
        this.settings = settings;
    }

    RelaySettings read() {
        String namespace = settings.require("namespace");
        return new RelaySettings(
                new Namespace(namespace),
                text("slot", "posthaste_" + namespace.replaceAll("[^a-z0-9]", "_")),
                text("publication", "posthaste"),
                DatabaseUrl.parse(
                        settings.require("database.url"),
                        settings.get("database.user").orElse(null),
                        settings.get("database.password").orElse(null)),
                new KafkaSettings(
                        settings.require("kafka.bootstrapServers"), settings.below(Settings.KAFKA_PROPERTIES)),
                Path.of(settings.require("catalog")),
                duration("lease", Duration.ofSeconds(3)),
                bounds("batch", 2_000, "8MiB"),
                bounds("queue", 8_192, "64MiB"),
                duration("poll", Duration.ofMillis(5)),
                duration("heartbeat", Duration.ofSeconds(5)),
                duration("requestTimeout", Duration.ofSeconds(10)),
                duration("drain", Duration.ofSeconds(10)),
                new RelaySettings.HttpSettings(text("http.host", "127.0.0.1"), number("http.port", 8080)));
    }

    private RelaySettings.Bounds bounds(String key, int messages, String bytes) {
        return new RelaySettings.Bounds(
                number(key + ".messages", messages), read(key + ".bytes", HumanSize::parse, HumanSize.parse(bytes)));
    }

    private String text(String key, String otherwise) {
        return settings.get(key).orElse(otherwise);
    }

    private Duration duration(String key, Duration otherwise) {
        return read(key, HumanDuration::parse, otherwise);
    }

    private int number(String key, int otherwise) {
        return read(
                key,
                text -> {
                    try {
                        return Integer.valueOf(text);
                    } catch (NumberFormatException e) {
                        throw new IllegalArgumentException("\"" + text + "\" is not a whole number");
                    }
                },
                otherwise);
    }

    private <T> T read(String key, Function<String, T> parser, T otherwise) {
        String text = settings.get(key).orElse(null);
        if (text == null) {
            return otherwise;
        }
        try {
            return parser.apply(text);
        } catch (IllegalArgumentException e) {
            throw new UsageException(key + ": " + e.getMessage());
        }
    }
}
