package dev.posthaste.testkit;

import java.nio.file.Path;

/**
 * How a {@link Stack} is started.
 *
 * @param kind where the servers run
 * @param postgres PostgreSQL's settings
 * @param kafka the broker's settings
 */
public record StackSettings(StackKind kind, ServerSettings postgres, ServerSettings kafka) {

    /** The kind of {@link StackKind#fromSystemProperty()}, free ports, temporary directories. */
    public static StackSettings defaults() {
        return new StackSettings(StackKind.fromSystemProperty(), ServerSettings.defaults(), ServerSettings.defaults());
    }

    /** The same with servers of this kind. */
    public StackSettings withKind(StackKind newKind) {
        return new StackSettings(newKind, postgres, kafka);
    }

    /** The same with these settings for PostgreSQL. */
    public StackSettings withPostgres(ServerSettings settings) {
        return new StackSettings(kind, settings, kafka);
    }

    /** The same with these settings for the broker. */
    public StackSettings withKafka(ServerSettings settings) {
        return new StackSettings(kind, postgres, settings);
    }

    /** The same, keeping the data of both servers under this directory. Embedded servers only. */
    public StackSettings withDirectory(Path directory) {
        return new StackSettings(
                kind,
                postgres.withDirectory(directory.resolve("postgres")),
                kafka.withDirectory(directory.resolve("kafka")));
    }
}
