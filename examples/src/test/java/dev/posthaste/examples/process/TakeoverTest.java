package dev.posthaste.examples.process;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.ReportedCase;
import dev.posthaste.testkit.Stack;

import static org.assertj.core.api.Assertions.assertThat;

/** One relay after another leads, under load; the time without a publisher is measured and printed. */
@PosthasteStack
class TakeoverTest {

    private static final int RELAYS = 3;

    @TempDir
    private Path directory;

    private final List<RelayProcess> running = new ArrayList<>();

    @AfterEach
    void endThem() {
        running.forEach(RelayProcess::close);
    }

    @Test
    @ReportedCase(44)
    void twoRelaysStartedAtOnceHaveOneLeader(Stack stack) throws Exception {
        ProcessOutbox outbox = ProcessOutbox.initialised(stack);
        int last;
        try (Load load = Load.start(outbox, 0)) {
            RelayProcess one = start(outbox);
            RelayProcess other = start(outbox);
            outbox.awaitBatchAfter(outbox.batches() + 5);
            RelayProcess leader = one.isStreaming() ? one : other;
            leader.awaitStreaming();
            (leader == one ? other : one).awaitStandby();
            last = load.stop();
            outbox.awaitSettled();
        }
        assertThat(outbox.number("SELECT count(DISTINCT fence) FROM outbox.dispatch_batch"))
                .as("leaders")
                .isOne();
        requireWhole(outbox, last);
    }

    @Test
    @ReportedCase(12)
    void aRollingRestartOfThreeUnderLoadHasOnePublisherAtATime(Stack stack) throws Exception {
        ProcessOutbox outbox = ProcessOutbox.initialised(stack);
        int last;
        try (Load load = Load.start(outbox, 0)) {
            RelayProcess leader = start(outbox).awaitStreaming();
            List<RelayProcess> standbys = new ArrayList<>();
            for (int i = 1; i < RELAYS; i++) {
                standbys.add(start(outbox).awaitStandby());
            }
            for (int restart = 1; restart <= RELAYS; restart++) {
                outbox.awaitBatchAfter(outbox.batches() + 2);
                long fence = outbox.fence();
                leader.process().terminate();
                leader.process().awaitExit();
                outbox.awaitNumber("SELECT max(fence) FROM outbox.dispatch_batch", fence + 1);
                print(outbox, "drained", fence);
                standbys.add(start(outbox));
                leader = streaming(standbys);
                standbys.remove(leader);
                for (RelayProcess standby : standbys) {
                    standby.awaitStandby();
                }
            }
            last = load.stop();
            outbox.awaitSettled();
        }
        assertThat(outbox.number("SELECT count(DISTINCT fence) FROM outbox.dispatch_batch"))
                .as("leaders")
                .isEqualTo(RELAYS + 1L);
        requireWhole(outbox, last);
    }

    @Test
    @ReportedCase(13)
    void aCrashedLeaderIsFollowedAndTheGapShowsInAGauge(Stack stack) throws Exception {
        isFollowed(stack, "crash", PosthasteProcess::kill);
    }

    @Test
    void aFrozenLeaderIsFollowed(Stack stack) throws Exception {
        isFollowed(stack, "frozen", PosthasteProcess::freeze);
    }

    private interface End {
        void of(PosthasteProcess process);
    }

    private void isFollowed(Stack stack, String how, End end) throws Exception {
        ProcessOutbox outbox = ProcessOutbox.initialised(stack);
        int last;
        try (Load load = Load.start(outbox, 0)) {
            RelayProcess leader = start(outbox).awaitStreaming();
            RelayProcess standby = start(outbox).awaitStandby();
            outbox.awaitBatchAfter(outbox.batches() + 2);
            long fence = outbox.fence();
            end.of(leader.process());
            outbox.awaitNumber("SELECT max(fence) FROM outbox.dispatch_batch", fence + 1);
            print(outbox, how, fence);
            standby.awaitStreaming();
            requireThatTheGaugeShowsTheGap(standby);
            last = load.stop();
            outbox.awaitSettled();
        }
        requireWhole(outbox, last);
    }

    private static void requireThatTheGaugeShowsTheGap(RelayProcess leader) {
        String gauge = leader.get("/metrics")
                .body()
                .lines()
                .filter(line -> line.startsWith("posthaste_relay_takeover "))
                .findFirst()
                .orElseThrow();
        System.out.println(gauge);
        assertThat(Double.parseDouble(gauge.split(" ")[1])).as(gauge).isPositive();
    }

    private RelayProcess start(ProcessOutbox outbox) {
        RelayProcess relay = RelayProcess.start(directory, outbox.environment());
        running.add(relay);
        return relay;
    }

    private static RelayProcess streaming(List<RelayProcess> relays) {
        return relays.stream().filter(RelayProcess::isStreaming).findFirst().orElseThrow();
    }

    /** From the last batch that the old leader proved to the first that the new one did, by the database's clock. */
    private static void print(ProcessOutbox outbox, String how, long oldFence) {
        long millis = outbox.number("SELECT (1000 * extract(epoch FROM min(completed_at) FILTER (WHERE fence > "
                + oldFence + ") - max(completed_at) FILTER (WHERE fence <= " + oldFence
                + ")))::bigint FROM outbox.dispatch_batch");
        long untilLease =
                outbox.number("SELECT (1000 * extract(epoch FROM l.acquired_at - max(b.completed_at)))::bigint"
                        + " FROM outbox.dispatch_batch b, relay.lease l WHERE b.fence <= " + oldFence
                        + " GROUP BY l.acquired_at");
        System.out.printf(
                "takeover, %s: %d ms without a publisher, of them %d ms until the lease was taken%n",
                how, millis, untilLease);
    }

    private static void requireWhole(ProcessOutbox outbox, int last) {
        assertThat(outbox.number("SELECT count(*) FROM (SELECT fence, completed_at,"
                        + " lag(fence) OVER byBatch AS fenceBefore, lag(completed_at) OVER byBatch AS completedBefore"
                        + " FROM outbox.dispatch_batch WINDOW byBatch AS (ORDER BY batch)) b"
                        + " WHERE fence < fenceBefore OR completed_at <= completedBefore"))
                .as("batches that an older leader published after a newer one, or that overlap")
                .isZero();
        outbox.requireOnEveryTopic(last);
        outbox.requireProvedOnce(last);
    }
}
