package dev.posthaste.examples.process;

import java.nio.file.Path;
import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.ReportedCase;
import dev.posthaste.testkit.Stack;
import dev.posthaste.testkit.faults.KafkaGate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Leaders that get SIGSTOP for longer than their lease, and SIGCONT when another leads. */
@PosthasteStack
class FrozenRelayTest {

    private static final Duration LEASE = Duration.ofSeconds(3);

    @TempDir
    private Path directory;

    @Test
    @ReportedCase(12)
    void aLeaderFrozenForLongerThanItsLeaseChangesNothingAfterwardsAndStandsBy(Stack stack) throws Exception {
        ProcessOutbox outbox = ProcessOutbox.initialised(stack);
        int last;
        try (Load load = Load.start(outbox, 0);
                RelayProcess leader = RelayProcess.start(directory, outbox.environment())) {
            leader.awaitStreaming();
            outbox.awaitBatchAfter(outbox.batches() + 2);
            try (RelayProcess standby = RelayProcess.start(directory, outbox.environment())) {
                standby.awaitStandby();

                leader.process().freeze();
                standby.awaitStreaming();
                long fence = outbox.fence();
                outbox.awaitBatchAfter(outbox.batches() + 2);
                leader.process().thaw();

                requireThatItStandsByForGood(outbox, leader, standby, fence);
                last = load.stop();
                outbox.awaitSettled();
                requireNothingSettledAfterTheTakeover(outbox, fence);
            }
        }
        outbox.requireOnEveryTopic(last);
        outbox.requireProvedOnce(last);
    }

    @Test
    @ReportedCase(12)
    void aCommitThatALeaderFrozenForLongerThanItsLeaseStillSendsIsRefused(Stack stack) throws Exception {
        ProcessOutbox outbox = ProcessOutbox.initialised(stack);
        int last;
        try (Load load = Load.start(outbox, 0);
                KafkaGate gate = KafkaGate.before(outbox.bootstrapServers());
                RelayProcess leader = RelayProcess.start(
                        directory, outbox.environment("POSTHASTE_KAFKA_BOOTSTRAP_SERVERS", gate.bootstrapServers()))) {
            leader.awaitStreaming();
            outbox.awaitBatchAfter(outbox.batches() + 2);
            try (RelayProcess standby = RelayProcess.start(directory, outbox.environment())) {
                standby.awaitStandby();

                gate.holdAt(KafkaGate.Point.COMMIT);
                gate.awaitHeld();
                leader.process().freeze();
                assertThat(outbox.uncommittedOn("due-notice"))
                        .as("copies in the open transaction of the frozen one")
                        .isPositive();
                standby.awaitStreaming();
                long fence = outbox.fence();
                outbox.awaitBatchAfter(outbox.batches() + 2);
                gate.open();
                leader.process().thaw();

                requireThatItStandsByForGood(outbox, leader, standby, fence);
                last = load.stop();
                outbox.awaitSettled();
                requireNothingSettledAfterTheTakeover(outbox, fence);
            }
        }
        outbox.requireOnEveryTopic(last);
        outbox.requireProvedOnce(last);
    }

    private static void requireThatItStandsByForGood(
            ProcessOutbox outbox, RelayProcess old, RelayProcess leader, long fence) {
        old.awaitStandby();
        await().during(LEASE.multipliedBy(3)).atMost(LEASE.multipliedBy(5)).untilAsserted(() -> {
            assertThat(outbox.fence()).as("fence of the lease").isEqualTo(fence);
            assertThat(old.ready().body()).contains("\"state\":\"standby\"");
            assertThat(leader.isStreaming()).isTrue();
        });
    }

    private static void requireNothingSettledAfterTheTakeover(ProcessOutbox outbox, long fence) {
        assertThat(outbox.number("SELECT count(*) FROM outbox.dispatch_batch WHERE fence = " + fence))
                .as("batches of the new leader")
                .isPositive();
        outbox.requireNothingSettledByAnOlderLeader(fence);
    }
}
