package dev.posthaste.relay;

import java.nio.file.Path;

/** A catalog of one event and two handlers, as files. */
final class TestCatalog {

    private TestCatalog() {}

    static Path write(Path directory) {
        Outbox.writeString(directory.resolve("events/library.loan-borrowed.yaml"), """
                type: library.loan-borrowed
                kind: integration-event
                direction: outbound
                trust: internal
                owner: lending
                versions:
                  - version: 1
                    schema: {type: object}
                    classifications: {memberId: personal}
                """);
        handler(directory, "due-notice");
        handler(directory, "statistics");
        return directory;
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
}
