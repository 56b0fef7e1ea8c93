package dev.posthaste.relay;

import java.nio.file.Path;

/** A catalog of one event and two handlers, as files. */
public final class TestCatalog {

    private TestCatalog() {}

    /** Writes one type and two handlers of it. */
    public static Path write(Path directory) {
        event(directory, Outbox.TYPE, "integration-event");
        handler(directory, "due-notice");
        handler(directory, "statistics");
        return directory;
    }

    /** Adds a type that no handler reads. */
    public static void event(Path directory, String type, String kind) {
        Outbox.writeString(directory.resolve("events/" + type + ".yaml"), """
                type: %s
                kind: %s
                direction: outbound
                trust: internal
                owner: lending
                versions:
                  - version: 1
                    schema: {type: object}
                    classifications: {memberId: personal}
                """.formatted(type, kind));
    }

    private static void handler(Path directory, String name) {
        Outbox.writeString(directory.resolve("handlers/" + name + ".yaml"), """
                handler: %s
                owner: circulation
                subscribes:
                  - type: library.loan-borrowed
                    versions: [1]
                order: per-key
                onDeadLetter: block
                delivery:
                  guarantee: effect-once
                  boundary: the circulation database
                  duplicates: skipped by the inbox
                  retry: {attempts: 5, first: 1s, max: 1m, horizon: 1h}
                  runbook: docs/runbooks/dead-letters.md
                  target: 1m
                  alerts: {oldestPending: 30s, failed: 1}
                """.formatted(name));
    }

    /** Adds a type that one handler more, of its own name's topic, reads. */
    static void add(Path directory, String type, String handler) {
        Outbox.writeString(directory.resolve("events/" + type + ".yaml"), """
                type: %s
                kind: integration-event
                direction: outbound
                trust: internal
                owner: lending
                versions:
                  - version: 1
                    schema: {type: object}
                    classifications: {}
                """.formatted(type));
        Path file = directory.resolve("handlers/" + handler + ".yaml");
        try {
            Outbox.writeString(
                    file,
                    java.nio.file.Files.readString(file)
                            .replace("subscribes:\n", "subscribes:\n  - type: " + type + "\n    versions: [1]\n"));
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
