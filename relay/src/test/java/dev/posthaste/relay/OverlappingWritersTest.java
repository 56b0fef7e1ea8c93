package dev.posthaste.relay;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.posthaste.relay.publishing.Position;
import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.ReportedCase;
import dev.posthaste.testkit.Stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Many writers at once, other tables and other applications' messages between, and walsenders that end. */
@PosthasteStack
class OverlappingWritersTest {

    private static final int ENDS = 3;

    @Test
    void eightOverlappingWritersWithSavepointsAreExactlyOnceAndInCommitOrderPerKey(Stack stack, @TempDir Path directory)
            throws Exception {
        Outbox outbox = Outbox.initialised(stack, directory);
        Writers writers = new Writers(outbox, 42);
        try (RunningRelay relay =
                RunningRelay.start(Adjusted.batches(outbox.settings(), 50, 200)).awaitStreaming()) {
            writers.run(8, 60);
            outbox.awaitDispatched();
        }
        writers.assertExactlyOnceInCommitOrderPerKey();
    }

    /**
     * The engine ends twice and the relay is replaced twice while they write. The ids are in the order in which the
     * rows were staged, the topics in the order of the commits: these are two orders.
     */
    @Test
    @ReportedCase(15)
    void sixtyFourWritersWithSavepointsAndPreparedTransactionsAreInCommitOrderPerKeyThoughEngineAndRelayFail(
            Stack stack, @TempDir Path directory) throws Exception {
        Outbox outbox = Outbox.initialised(stack, directory);
        RelaySettings settings =
                Adjusted.heartbeat(Adjusted.batches(outbox.settings(), 50, 200), Duration.ofMillis(20));
        Writers writers = new Writers(outbox, 64, 100);
        CompletableFuture<Void> writing = CompletableFuture.runAsync(() -> writers.runUnchecked(64, 15));
        for (int n = 0; n < 2; n++) {
            try (RunningRelay relay = RunningRelay.start(settings).awaitStreaming()) {
                awaitMoreDispatched(outbox);
                await().atMost(Duration.ofSeconds(30)).until(() -> Writers.endWalsender(outbox));
                relay.awaitRestart();
                awaitMoreDispatched(outbox);
            }
        }
        assertThat(outbox.pending())
                .as("waiting when the second relay was stopped")
                .isPositive();
        try (RunningRelay relay = RunningRelay.start(settings).awaitStreaming()) {
            writing.get();
            outbox.awaitDispatched();
        }
        writers.assertExactlyOnceInCommitOrderPerKey();
        assertThat(writers.savepointsUndone()).as("savepoints undone").isPositive();
        assertThat(outbox.idsInEvidence())
                .as("published in another order than that of the ids")
                .isNotEqualTo(outbox.ids().stream()
                        .sorted(Comparator.comparing(UUID::toString))
                        .toList());
        if (outbox.number("SHOW max_prepared_transactions") == 0) {
            System.out.println("no transaction was prepared: this server has max_prepared_transactions = 0");
        } else {
            assertThat(writers.preparations()).as("prepared transactions").isPositive();
        }
    }

    private static void awaitMoreDispatched(Outbox outbox) {
        long before = outbox.dispatched();
        await().atMost(Duration.ofSeconds(30)).until(() -> outbox.dispatched() > before);
    }

    @Test
    void walsendersEndedUnderOverlappingWritersLoseNothingAndDoubleNothing(Stack stack, @TempDir Path directory)
            throws Exception {
        Outbox outbox = Outbox.initialised(stack, directory);
        Writers writers = new Writers(outbox, 43);
        try (RunningRelay relay =
                RunningRelay.start(Adjusted.batches(outbox.settings(), 50, 200)).awaitStreaming()) {
            CompletableFuture<Void> writing = CompletableFuture.runAsync(() -> writers.runUnchecked(8, 80));
            for (int n = 0; n < ENDS; n++) {
                long before = outbox.dispatched();
                await().atMost(Duration.ofSeconds(30)).until(() -> outbox.dispatched() > before || writing.isDone());
                await().atMost(Duration.ofSeconds(30)).until(() -> Writers.endWalsender(outbox));
                relay.awaitRestart();
            }
            writing.get();
            outbox.awaitDispatched();
        }
        writers.assertExactlyOnceInCommitOrderPerKey();
    }

    @Test
    void walsendersEndedInTheMiddleOfATransactionLoseNothingAndDoubleNothing(Stack stack, @TempDir Path directory)
            throws Exception {
        int rows = 6000;
        Outbox outbox = Outbox.initialised(stack, directory);
        try (RunningRelay relay =
                RunningRelay.start(Adjusted.batches(outbox.settings(), 30, 60)).awaitStreaming()) {
            for (int n = 0; n < ENDS; n++) {
                long before = outbox.dispatched();
                // Large rows, more than the buffers between server and relay hold.
                outbox.sql(Outbox.insertStatement(rows, "copy-1")
                        .replace("json_build_object('n', n)", "json_build_object('n', n, 'pad', repeat('x', 3000))"));
                await().atMost(Duration.ofSeconds(30))
                        .pollInterval(Duration.ofMillis(10))
                        .until(() -> outbox.dispatched() > before);
                assertThat(Writers.endWalsender(outbox)).isTrue();
                Position position = outbox.position();
                assertThat(position.inProgress()).isNotNull();
                assertThat(position.inProgress().rows()).isPositive().isLessThan(rows);
                relay.awaitRestart();
                outbox.awaitDispatched();
            }
        }
        assertThat(outbox.idsOn("due-notice")).isEqualTo(outbox.ids()).hasSize(ENDS * rows);
        assertThat(outbox.idsOn("statistics")).isEqualTo(outbox.ids());
        outbox.assertEachMessageIsPublishedOnceAndProvedOnce();
    }
}
