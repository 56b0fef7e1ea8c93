package dev.posthaste.relay;

import java.nio.file.Path;
import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.posthaste.relay.source.Lsn;
import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.Stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@PosthasteStack
class IdleOutboxTest {

    @Test
    void theSlotFollowsABusyDatabaseAndThePositionKnowsFirst(Stack stack, @TempDir Path directory) throws Exception {
        Outbox outbox = Outbox.initialised(stack, directory);
        outbox.sql("CREATE TABLE other_business (text text)");
        try (RunningRelay relay = RunningRelay.start(outbox.settings()).awaitStreaming()) {
            for (int n = 0; n < 4; n++) {
                Lsn before = outbox.slot();
                outbox.sql("INSERT INTO other_business SELECT repeat('x', 1000) FROM generate_series(1, 5000)");
                Lsn written =
                        Lsn.parse(outbox.column("SELECT pg_current_wal_lsn()").get(0));
                assertThat(written.value() - before.value()).isGreaterThan(5_000_000L);
                await().atMost(Duration.ofSeconds(20)).until(() -> {
                    Lsn slot = outbox.slot(); // before the position is read: it must know by then
                    assertThat(outbox.position().ack().isBefore(slot)).isFalse();
                    return !slot.isBefore(written);
                });
            }
            assertThat(outbox.number("SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), confirmed_flush_lsn)::bigint"
                            + " FROM pg_replication_slots WHERE slot_name = '"
                            + outbox.settings().slot() + "'"))
                    .isLessThan(1_000_000);
        }
        assertThat(outbox.number("SELECT count(*) FROM outbox.dispatch_batch")).isZero();
    }
}
