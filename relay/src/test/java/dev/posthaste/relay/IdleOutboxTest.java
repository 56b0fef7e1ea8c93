package dev.posthaste.relay;

import java.nio.file.Path;
import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.posthaste.relay.source.Lsn;
import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.ReportedCase;
import dev.posthaste.testkit.Stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Nobody stages anything, and the slot holds back no WAL all the same. */
@PosthasteStack
class IdleOutboxTest {

    private static final boolean FULL = Boolean.getBoolean("posthaste.full");

    /** For so long the rest of the database is busy. */
    private static final Duration BUSY = FULL ? Duration.ofMinutes(10) : Duration.ofSeconds(8);

    private static final int ROUNDS_MIN = 6;

    /** Rows that clean-up removes, in each of two ways. */
    private static final int OLD = FULL ? 100_000 : 20_000;

    private static final long RETAINED_MAX = 40L * 1024 * 1024;

    @Test
    @ReportedCase(4)
    void theSlotFollowsABusyDatabaseAndThePositionKnowsFirst(Stack stack, @TempDir Path directory) throws Exception {
        Outbox outbox = Outbox.initialised(stack, directory);
        outbox.sql("CREATE TABLE other_business (text text)");
        Lsn begin = written(outbox);
        long end = System.nanoTime() + BUSY.toNanos();
        try (RunningRelay relay = RunningRelay.start(outbox.settings()).awaitStreaming()) {
            for (int round = 0; round < ROUNDS_MIN || System.nanoTime() - end < 0; round++) {
                Lsn before = outbox.slot();
                outbox.sql("TRUNCATE other_business");
                outbox.sql("INSERT INTO other_business SELECT repeat('x', 1000) FROM generate_series(1, 8000)");
                assertThat(written(outbox).value() - before.value()).isGreaterThan(8_000_000L);
                awaitSlotAtEndOfWal(outbox);
                awaitLittleWalRetained(outbox);
            }
        }
        assertThat(written(outbox).value() - begin.value())
                .as("written, beyond what may be retained")
                .isGreaterThan(RETAINED_MAX);
        assertThat(outbox.number("SELECT count(*) FROM outbox.dispatch_batch")).isZero();
    }

    @Test
    @ReportedCase(17)
    void theSlotFollowsACleanUpAfterWhichNothingIsStaged(Stack stack, @TempDir Path directory) throws Exception {
        Outbox outbox = Outbox.initialised(stack, directory);
        outbox.sql("CREATE TABLE outbox.message_old PARTITION OF outbox.message"
                + " FOR VALUES FROM ('2020-01-01 00:00+00') TO ('2020-01-02 00:00+00')");
        outbox.insert(OLD, "copy-1");
        outbox.sql(Outbox.insertStatement(OLD, "copy-1")
                .replace("(kind,", "(created_at, kind,")
                .replace("SELECT 'integration", "SELECT '2020-01-01 12:00+00', 'integration"));
        assertThat(outbox.number("SELECT count(*) FROM outbox.message_old")).isEqualTo(OLD);
        try (RunningRelay relay = RunningRelay.start(Adjusted.batches(outbox.settings(), 2_000, 8_000))
                .awaitStreaming()) {
            await().atMost(Duration.ofSeconds(120)).until(() -> outbox.dispatched() == 2L * OLD);
            for (String cleanUp : new String[] {
                "DROP TABLE outbox.message_old", "DELETE FROM outbox.message" // as the table's owner may
            }) {
                outbox.sql(cleanUp);
                awaitSlotAtEndOfWal(outbox);
                awaitLittleWalRetained(outbox);
            }
            assertThat(outbox.ids()).isEmpty();
            assertThat(relay.relay().state()).isInstanceOf(RelayState.Streaming.class);
            outbox.insert(1, "copy-1");
            outbox.awaitDispatched();
        }
        assertThat(outbox.idsInEvidence())
                .hasSize(2 * OLD + 1)
                .endsWith(outbox.ids().get(0));
    }

    /** Waits until the slot has everything that is written now; the position must know before the slot moves. */
    private static void awaitSlotAtEndOfWal(Outbox outbox) {
        Lsn written = written(outbox);
        await().atMost(Duration.ofSeconds(20)).until(() -> {
            Lsn slot = outbox.slot(); // before the position is read: it must know by then
            assertThat(outbox.position().ack().isBefore(slot)).isFalse();
            return !slot.isBefore(written);
        });
    }

    /** What the server may throw away follows at its next checkpoint, or within 15 seconds. */
    private static void awaitLittleWalRetained(Outbox outbox) {
        await().atMost(Duration.ofSeconds(40)).until(() -> {
            outbox.sql("CHECKPOINT");
            return outbox.number("SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)::bigint"
                            + " FROM pg_replication_slots WHERE slot_name = '"
                            + outbox.settings().slot() + "'")
                    < RETAINED_MAX / 4;
        });
    }

    private static Lsn written(Outbox outbox) {
        return Lsn.parse(outbox.column("SELECT pg_current_wal_lsn()").get(0));
    }
}
