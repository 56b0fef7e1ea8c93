package dev.posthaste.examples.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.ReportedCase;
import dev.posthaste.testkit.Stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A backlog that is several times as large as the heap of the relay that drains it, with large messages among small
 * ones: many transactions, and one of as many rows. At full length, a million each and a heap of 256 MB; else fewer and
 * a smaller heap.
 */
@PosthasteStack
class LargeBacklogTest {

    private static final boolean FULL = Boolean.getBoolean("posthaste.full");
    private static final int ROWS = FULL ? 1_000_000 : 60_000;
    private static final String HEAP = FULL ? "256m" : "128m";
    private static final int ROWS_PER_TRANSACTION = 500;

    /** Every so many rows one is large. */
    private static final int LARGE_EVERY = FULL ? 10_000 : 3_000;

    private static final int LARGE = 5_000_000;

    private static final int SMALL = FULL ? 300 : 1_200;
    private static final int SIGTERM_EXIT = 143;
    private static final Duration DRAIN_TIMEOUT = Duration.ofMinutes(10);
    private static final Pattern FULL_COLLECTION = Pattern.compile("Pause Full .* (\\d+)M->(\\d+)M\\((\\d+)M\\)");

    @TempDir
    private Path directory;

    @Test
    @ReportedCase(16)
    void aBacklogLargerThanTheHeapDrainsAndEachMessageIsThereOnce(Stack stack) throws Exception {
        ProcessOutbox outbox = ProcessOutbox.initialised(stack);
        try (Connection connection = outbox.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            for (int first = 1; first <= ROWS; first += ROWS_PER_TRANSACTION) {
                statement.execute(insertStatement(first, first + ROWS_PER_TRANSACTION - 1));
                connection.commit();
            }
        }
        drain(outbox, "in transactions of " + ROWS_PER_TRANSACTION);
    }

    @Test
    @ReportedCase(16)
    void aTransactionLargerThanTheHeapDrainsAndEachMessageIsThereOnce(Stack stack) throws SQLException, IOException {
        ProcessOutbox outbox = ProcessOutbox.initialised(stack);
        outbox.sql(insertStatement(1, ROWS));
        drain(outbox, "in one transaction");
    }

    /** Payloads are as the database makes them: hex digits do not shrink to less than half. */
    private static String insertStatement(int first, int last) {
        return "INSERT INTO outbox.message (kind, type, schema_version, key, payload)"
                + " SELECT 'integration-event', 'library.loan-borrowed', 1, 'copy-1', ('{\"n\": ' || n || ', \"pad\": \"' ||"
                + " CASE WHEN n % " + LARGE_EVERY
                + " = 0 THEN (SELECT string_agg(md5(n || '-' || k), '') FROM generate_series(1, "
                + LARGE / 32 + ") k) ELSE repeat(md5(n::text), " + SMALL / 32
                + ") END || '\"}')::json FROM generate_series("
                + first + ", " + last + ") n";
    }

    private void drain(ProcessOutbox outbox, String how) throws IOException {
        Path gcLog = directory.resolve("gc.log");
        try (RelayProcess relay = RelayProcess.start(
                directory,
                // What the relay does by default.
                outbox.environment("POSTHASTE_BATCH_MESSAGES", "2000"),
                List.of("-Xmx" + HEAP, "-Xlog:gc:file=" + gcLog + ":uptime"))) {
            long started = System.nanoTime();
            await().atMost(DRAIN_TIMEOUT).pollInterval(Duration.ofMillis(500)).until(() -> {
                assertThat(relay.process().isAlive()).as(relay.process().err()).isTrue();
                return outbox.proved() >= ROWS;
            });
            long millis = (System.nanoTime() - started) / 1_000_000;
            assertThat(relay.isStreaming()).isTrue();
            relay.process().terminate();
            assertThat(relay.process().awaitExit()).isEqualTo(SIGTERM_EXIT);
            assertThat(relay.process().err()).doesNotContain("OutOfMemory", "beginning anew");
            System.out.printf(
                    "%d messages %s, %d of them of %d bytes, drained in %d ms with a heap of %s; in use after full collections: %s%n",
                    ROWS, how, ROWS / LARGE_EVERY, LARGE, millis, HEAP, afterFullCollections(gcLog));
        }
        for (String handler : ProcessOutbox.HANDLERS) {
            assertThat(TopicNumbers.countInOrder(outbox.bootstrapServers(), outbox.namespace() + "." + handler))
                    .as("on the topic of %s, in order from 1 on", handler)
                    .isEqualTo(ROWS);
        }
        assertThat(outbox.proved()).isEqualTo(ROWS);
        assertThat(outbox.number("SELECT messages FROM outbox.pending_summary()"))
                .isZero();
        assertThat(outbox.number("SELECT count(DISTINCT fence) FROM outbox.dispatch_batch"))
                .as("terms it took")
                .isOne();
        long payload = outbox.number("SELECT sum(octet_length(payload::text)) FROM outbox.message");
        assertThat(payload)
                .as("bytes that went through a heap of %s", HEAP)
                .isGreaterThan(FULL ? 512_000_000 : 128_000_000);
        outbox.sql("TRUNCATE outbox.message"); // room for the tests to come
    }

    private static String afterFullCollections(Path gcLog) throws IOException {
        LongSummaryStatistics megabytes = Files.readAllLines(gcLog).stream()
                .map(FULL_COLLECTION::matcher)
                .filter(Matcher::find)
                .mapToLong(collection -> Long.parseLong(collection.group(2)))
                .summaryStatistics();
        return megabytes.getCount() == 0
                ? "there were none"
                : "at most " + megabytes.getMax() + " MB, in " + megabytes.getCount() + " of them";
    }
}
