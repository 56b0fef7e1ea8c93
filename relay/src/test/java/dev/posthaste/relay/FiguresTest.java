package dev.posthaste.relay;

import java.nio.file.Path;
import java.sql.Connection;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.posthaste.relay.health.OutboxFigures;
import dev.posthaste.schemas.catalog.CatalogReader;
import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.Stack;

import static org.assertj.core.api.Assertions.assertThat;

/** Pending and age come from the tables alone: a leader that has just started tells what one that died told. */
@PosthasteStack
class FiguresTest {

    @Test
    void whatWaitsIsToldAltogetherAndForEachHandlerAfterARestartAsWell(Stack stack, @TempDir Path directory)
            throws Exception {
        Outbox outbox = Outbox.initialised(stack, directory);
        TestCatalog.add(outbox.catalog(), "library.renewed", "statistics");
        outbox.insert(3, "copy-1");
        outbox.sql("INSERT INTO outbox.message (kind, type, schema_version, payload, created_at) VALUES "
                + "('integration-event', 'library.renewed', 1, '{}', now() - interval '1 hour'), "
                + "('integration-event', 'library.unheard-of', 1, '{}', now())");

        OutboxFigures first = read(outbox);
        OutboxFigures afterRestart = read(outbox);

        assertThat(first.pending().messages()).isEqualTo(5);
        assertThat(first.pending().oldestSeconds()).isBetween(3600.0, 4000.0);
        assertThat(first.pendingByHandler().get("due-notice").messages()).isEqualTo(3);
        assertThat(first.pendingByHandler().get("due-notice").oldestSeconds()).isLessThan(1000);
        assertThat(first.pendingByHandler().get("statistics").messages()).isEqualTo(4);
        assertThat(first.pendingByHandler().get("statistics").oldestSeconds()).isGreaterThanOrEqualTo(3600);
        assertThat(first.slotLagBytes()).isPositive();
        assertThat(first.slotLagSeconds()).isGreaterThanOrEqualTo(3600);
        assertThat(afterRestart.pending().messages()).isEqualTo(5);
        assertThat(afterRestart.pending().oldestSeconds())
                .isGreaterThanOrEqualTo(first.pending().oldestSeconds());
    }

    @Test
    void whatIsSetAsideIsToldByStateAndByHandler(Stack stack, @TempDir Path directory) throws Exception {
        Outbox outbox = Outbox.initialised(stack, directory);
        outbox.sql(
                "INSERT INTO outbox.quarantined (message_id, created_at, handler, cause, last_error, fence, next_attempt) VALUES "
                        + "(uuidv7(), now(), 'statistics', 'TOO_LARGE', 'x', 1, now() + interval '1 hour'), "
                        + "(uuidv7(), now(), 'statistics', 'REFUSED', 'x', 1, NULL), (uuidv7(), now(), '*', 'WRONG_KIND', 'x', 1, NULL)");

        OutboxFigures figures = read(outbox);

        assertThat(figures.failed()).isEqualTo(1);
        assertThat(figures.deadLetters()).isEqualTo(2);
        assertThat(figures.failedByHandler()).containsEntry("statistics", 2L).containsEntry("*", 1L);
    }

    private static OutboxFigures read(Outbox outbox) throws Exception {
        try (Connection connection = outbox.connect()) {
            return new FiguresReader(outbox.settings().slot(), CatalogReader.read(outbox.catalog())).read(connection);
        }
    }
}
