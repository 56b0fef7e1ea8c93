package dev.posthaste.schemas.catalog;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/** A good catalog as files, to be spoiled in one place. */
final class CatalogFiles {

    static final String EVENT = """
            type: library.loan-borrowed
            kind: integration-event
            direction: outbound
            trust: internal
            owner: lending
            versions:
              - version: 1
                schema: {type: object}
                classifications: {memberId: personal}
            """;

    static final String HANDLER = """
            handler: due-notice
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
            """;

    private final Path directory;

    CatalogFiles(Path directory) {
        this.directory = directory;
        write("events/library.loan-borrowed.yaml", EVENT);
        write("handlers/due-notice.yaml", HANDLER);
    }

    CatalogFiles write(String file, String text) {
        Path path = directory.resolve(file);
        try {
            Files.createDirectories(path.getParent());
            Files.writeString(path, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return this;
    }

    /** Replaces a part that must be there. */
    CatalogFiles event(String part, String replacement) {
        assertThat(EVENT).contains(part);
        return write("events/library.loan-borrowed.yaml", EVENT.replace(part, replacement));
    }

    /** Replaces a part that must be there. */
    CatalogFiles handler(String part, String replacement) {
        assertThat(HANDLER).contains(part);
        return write("handlers/due-notice.yaml", HANDLER.replace(part, replacement));
    }

    Catalog read() {
        return CatalogReader.read(directory);
    }

    List<String> findings() {
        return catchThrowableOfType(CatalogException.class, this::read).findings();
    }
}
