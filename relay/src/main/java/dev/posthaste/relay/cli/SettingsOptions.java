package dev.posthaste.relay.cli;

import java.nio.file.Path;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

import dev.posthaste.relay.RelaySettings;

/** The options that say which outbox is meant. They win over the environment, which wins over the file. */
final class SettingsOptions {

    @Option(names = "--config", paramLabel = "FILE", description = "YAML file with the settings; see docs/settings.md.")
    private @Nullable Path config;

    @Option(
            names = "--database",
            paramLabel = "URL",
            description =
                    "postgresql://user@host:5432/database; the password is better given as POSTHASTE_DATABASE_PASSWORD.")
    private @Nullable String database;

    @Option(names = "--kafka", paramLabel = "SERVERS", description = "Bootstrap servers, host:port, comma-separated.")
    private @Nullable String kafka;

    @Option(names = "--catalog", paramLabel = "DIR", description = "Directory with events/ and handlers/.")
    private @Nullable String catalog;

    @Option(names = "--namespace", paramLabel = "NAME", description = "First part of every topic's name.")
    private @Nullable String namespace;

    @Option(names = "--slot", paramLabel = "NAME", description = "Replication slot; default: posthaste_<namespace>.")
    private @Nullable String slot;

    RelaySettings read() {
        return read(System.getenv());
    }

    RelaySettings read(Map<String, String> environment) {
        Settings settings = new Settings();
        if (config != null) {
            settings.file(config);
        }
        settings.environment(environment);
        set(settings, "database.url", database);
        set(settings, "kafka.bootstrapServers", kafka);
        set(settings, "catalog", catalog);
        set(settings, "namespace", namespace);
        set(settings, "slot", slot);
        return new SettingsReader(settings).read();
    }

    private static void set(Settings settings, String key, @Nullable String value) {
        if (value != null) {
            settings.set(key, value, "the command line");
        }
    }
}
