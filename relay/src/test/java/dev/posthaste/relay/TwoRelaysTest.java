package dev.posthaste.relay;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.Stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@PosthasteStack
class TwoRelaysTest {

    private static final int TURNS = 3;

    @Test
    void oneLeadsTheOtherStandsByAndTakesOverWhenTheLeaderStops(Stack stack, @TempDir Path directory) throws Exception {
        Outbox outbox = Outbox.initialised(stack, directory);
        RunningRelay first = RunningRelay.start(outbox.settings()).awaitStreaming();
        try (RunningRelay second = RunningRelay.start(outbox.settings())) {
            second.awaitStandby("another relay leads");
            outbox.insert(20, "copy-1");
            outbox.awaitDispatched();
            assertThat(second.relay().state()).isInstanceOf(RelayState.Standby.class);

            first.close();
            second.awaitStreaming();
            outbox.insert(20, "copy-1");
            outbox.awaitDispatched();
        }
        assertThat(outbox.idsOn("due-notice")).isEqualTo(outbox.ids()).hasSize(40);
        outbox.assertEachMessageIsPublishedOnceAndProvedOnce();
    }

    @Test
    void leadersThatTakeTurnsUnderLoadLoseNothingAndDoubleNothing(Stack stack, @TempDir Path directory)
            throws Exception {
        Outbox outbox = Outbox.initialised(stack, directory);
        Writers writers = new Writers(outbox, 44);
        RunningRelay leader =
                RunningRelay.start(Adjusted.batches(outbox.settings(), 50, 200)).awaitStreaming();
        for (int n = 0; n < TURNS; n++) {
            RunningRelay next = RunningRelay.start(Adjusted.batches(outbox.settings(), 50, 200));
            next.awaitStandby("another relay leads");
            long before = outbox.dispatched();
            CompletableFuture<Void> writing = CompletableFuture.runAsync(() -> writers.runUnchecked(4, 60));
            await().atMost(Duration.ofSeconds(30))
                    .pollInterval(Duration.ofMillis(10))
                    .until(() -> outbox.dispatched() > before);
            leader.close();
            leader = next.awaitStreaming();
            writing.get();
        }
        outbox.awaitDispatched();
        leader.close();
        writers.assertExactlyOnceInCommitOrderPerKey();
        assertThat(outbox.number("SELECT count(DISTINCT fence) FROM outbox.dispatch_batch"))
                .as("leaders that published")
                .isEqualTo(TURNS + 1);
    }
}
