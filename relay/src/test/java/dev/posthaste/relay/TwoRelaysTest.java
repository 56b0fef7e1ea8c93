package dev.posthaste.relay;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.posthaste.relay.publishing.KafkaPublisher;
import dev.posthaste.relay.publishing.Position;
import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.ReportedCase;
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
    @ReportedCase(44)
    void twoRelaysStartedAgainAndAgainHaveOneLeaderWhoStaysIt(Stack stack, @TempDir Path directory) throws Exception {
        Outbox outbox = Outbox.initialised(stack, directory);
        for (int n = 1; n <= TURNS; n++) {
            try (RunningRelay one = RunningRelay.start(outbox.settings());
                    RunningRelay other = RunningRelay.start(outbox.settings())) {
                await().atMost(Duration.ofSeconds(30)).until(() -> streams(one) != streams(other));
                RunningRelay leader = streams(one) ? one : other;
                RunningRelay second = streams(one) ? other : one;
                second.awaitStandby("another relay leads");
                long fence = fence(outbox);
                outbox.insert(20, "copy-1");
                Duration lease = outbox.settings().lease();
                await().during(lease.dividedBy(2)).atMost(lease).untilAsserted(() -> {
                    assertThat(fence(outbox)).as("fence").isEqualTo(fence);
                    assertThat(streams(leader)).isTrue();
                    assertThat(second.relay().state()).isInstanceOf(RelayState.Standby.class);
                });
                outbox.awaitDispatched();
                assertThat(outbox.number("SELECT max(fence) FROM outbox.dispatch_batch"))
                        .isEqualTo(fence);
            }
        }
        assertThat(outbox.idsOn("due-notice")).isEqualTo(outbox.ids()).hasSize(20 * TURNS);
        outbox.assertEachMessageIsPublishedOnceAndProvedOnce();
    }

    @Test
    @ReportedCase(44)
    void aNewLeadersFenceRisesAboveThePositions(Stack stack, @TempDir Path directory) throws Exception {
        Outbox outbox = Outbox.initialised(stack, directory);
        Position position = outbox.position();
        long ofAnother = fence(outbox) + 1_000; // who led before this database was put back
        try (KafkaPublisher other = KafkaPublisher.open(outbox.settings().publisher())) {
            other.publishPosition(new Position(
                    position.source(),
                    ofAnother,
                    position.batch(),
                    position.batchMessages(),
                    position.lastCommit(),
                    position.inProgress(),
                    position.ack(),
                    position.lastMessageId(),
                    position.withheld()));
        }
        try (RunningRelay relay = RunningRelay.start(outbox.settings()).awaitStreaming()) {
            outbox.insert(20, "copy-1");
            outbox.awaitDispatched();
            assertThat(relay.relay().state())
                    .isInstanceOfSatisfying(RelayState.Streaming.class, streaming -> assertThat(streaming.fence())
                            .isEqualTo(ofAnother + 1));
        }
        assertThat(fence(outbox)).isEqualTo(ofAnother + 1);
        assertThat(outbox.position().fence()).isEqualTo(ofAnother + 1);
        assertThat(outbox.number("SELECT min(fence) FROM outbox.dispatch_batch"))
                .isEqualTo(ofAnother + 1);
        outbox.assertEachMessageIsPublishedOnceAndProvedOnce();
    }

    private static boolean streams(RunningRelay relay) {
        return relay.relay().state() instanceof RelayState.Streaming;
    }

    private static long fence(Outbox outbox) {
        return outbox.number("SELECT coalesce(max(fence), 0) FROM relay.lease");
    }

    @Test
    @ReportedCase(12)
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
