package dev.posthaste.relay.cli;

import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Function;
import java.util.regex.Pattern;

import dev.posthaste.relay.RelaySettings;
import dev.posthaste.relay.publishing.KafkaSettings;
import dev.posthaste.schemas.HumanDuration;
import dev.posthaste.schemas.Namespace;

/** Makes the relay's settings of their texts; here stand the defaults and the rules of single values. */
final class SettingsReader {

    /** host:port, comma-separated; the host may be an IPv6 address in brackets. */
    private static final Pattern SERVERS = Pattern.compile("[^\\s,]+:\\d{1,5}(\\s*,\\s*[^\\s,]+:\\d{1,5})*");

    private static final int PORT_MAX = 65_535;

    private static final Duration LEASE_MAX = Duration.ofMinutes(2);

    private static final Duration WAIT_MAX = Duration.ofMinutes(5);

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
                new KafkaSettings(servers(), settings.below(Settings.KAFKA_PROPERTIES)),
                Path.of(settings.require("catalog")),
                duration("lease", Duration.ofSeconds(3), LEASE_MAX),
                bounds("batch", 2_000, "8MiB"),
                bounds("queue", 8_192, "16MiB"),
                duration("poll", Duration.ofMillis(5), WAIT_MAX),
                duration("heartbeat", Duration.ofSeconds(5), WAIT_MAX),
                duration("requestTimeout", Duration.ofSeconds(10), WAIT_MAX),
                duration("drain", Duration.ofSeconds(10), WAIT_MAX),
                new RelaySettings.HttpSettings(text("http.host", "127.0.0.1"), port("http.port", 8080)));
    }

    private String servers() {
        String servers = settings.require("kafka.bootstrapServers");
        if (!SERVERS.matcher(servers).matches()) {
            throw new UsageException("kafka.bootstrapServers is \"" + servers
                    + "\", but must be host:port, or several of them with commas between");
        }
        return servers;
    }

    private RelaySettings.Bounds bounds(String key, int messages, String bytes) {
        return new RelaySettings.Bounds(positive(key + ".messages", messages), bytes(key + ".bytes", bytes));
    }

    private int positive(String key, int otherwise) {
        return read(
                key,
                text -> {
                    int number = number(text);
                    if (number < 1) {
                        throw new IllegalArgumentException("\"" + text + "\" is less than 1");
                    }
                    return number;
                },
                otherwise);
    }

    private long bytes(String key, String otherwise) {
        return read(
                key,
                text -> {
                    long size = HumanSize.parse(text);
                    if (size < 1) {
                        throw new IllegalArgumentException("\"" + text + "\" is less than 1 byte");
                    }
                    return size;
                },
                HumanSize.parse(otherwise));
    }

    private String text(String key, String otherwise) {
        return settings.get(key).orElse(otherwise);
    }

    private Duration duration(String key, Duration otherwise, Duration max) {
        return read(
                key,
                text -> {
                    Duration duration = HumanDuration.parse(text);
                    if (duration.compareTo(max) > 0) {
                        throw new IllegalArgumentException(
                                "\"" + text + "\" is longer than " + max.toMinutes() + "m, the most it may be");
                    }
                    return duration;
                },
                otherwise);
    }

    private int port(String key, int otherwise) {
        return read(
                key,
                text -> {
                    int port = number(text);
                    if (port < 0 || port > PORT_MAX) {
                        throw new IllegalArgumentException(
                                "\"" + text + "\" is no port; write 1 to " + PORT_MAX + ", or 0 for any free one");
                    }
                    return port;
                },
                otherwise);
    }

    private static int number(String text) {
        try {
            return Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("\"" + text + "\" is not a whole number");
        }
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
