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

/** Relays that reach PostgreSQL and not Kafka: whoever can do better leads, and where nobody can, nobody leads. */
@PosthasteStack
class CutOffRelayTest {

    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final Duration OUTAGE =
            Boolean.getBoolean("posthaste.full") ? Duration.ofMinutes(5) : Duration.ofSeconds(8);
    private static final String AWAY = "KAFKA failed: ";

    @TempDir
    private Path directory;

    @Test
    @ReportedCase(44)
    void aLeaderThatAloneIsCutOffFromKafkaYieldsAndDoesNotTakeTheLeaseBack(Stack stack) throws Exception {
        ProcessOutbox outbox = ProcessOutbox.initialised(stack);
        int last;
        try (Load load = Load.start(outbox, 0);
                KafkaGate gate = KafkaGate.before(outbox.bootstrapServers());
                RelayProcess leader = start(outbox, gate.bootstrapServers()).awaitStreaming();
                RelayProcess standby = start(outbox, outbox.bootstrapServers()).awaitStandby()) {
            outbox.awaitBatchAfter(outbox.batches() + 2);
            long fence = outbox.fence();

            // The broker has its commit; the leader will not know.
            gate.holdAt(KafkaGate.Point.COMMIT_ANSWER);
            gate.awaitHeld();
            gate.cutOff();
            gate.open();

            standby.awaitStreaming();
            assertThat(outbox.fence()).isEqualTo(fence + 1);
            leader.awaitHealth(503, AWAY);
            outbox.awaitBatchAfter(outbox.batches() + 2);
            await().during(LEASE.multipliedBy(2)).atMost(LEASE.multipliedBy(4)).untilAsserted(() -> {
                assertThat(outbox.fence()).as("fence").isEqualTo(fence + 1);
                assertThat(leader.ready().body()).contains("\"state\":\"standby\"", AWAY);
                assertThat(standby.isStreaming()).isTrue();
            });

            gate.restore();

            leader.awaitStandby();
            await().during(LEASE).atMost(LEASE.multipliedBy(3)).untilAsserted(() -> {
                assertThat(outbox.fence()).as("fence").isEqualTo(fence + 1);
                assertThat(standby.isStreaming()).isTrue();
            });
            last = load.stop();
            outbox.awaitSettled();
            outbox.requireNothingSettledByAnOlderLeader(outbox.fence());
        }
        outbox.requireOnEveryTopic(last);
        outbox.requireProvedOnce(last);
    }

    @Test
    @ReportedCase(44)
    void whenNobodyReachesKafkaNobodyLeadsAndTheFenceStays(Stack stack) throws Exception {
        ProcessOutbox outbox = ProcessOutbox.initialised(stack);
        int last;
        try (Load load = Load.start(outbox, 0);
                KafkaGate gate = KafkaGate.before(outbox.bootstrapServers());
                RelayProcess leader = start(outbox, gate.bootstrapServers()).awaitStreaming();
                RelayProcess standby = start(outbox, gate.bootstrapServers()).awaitStandby()) {
            outbox.awaitBatchAfter(outbox.batches() + 2);
            long fence = outbox.fence();

            gate.cutOff();

            leader.awaitHealth(503, AWAY);
            standby.awaitHealth(503, AWAY);
            await().during(OUTAGE).atMost(OUTAGE.multipliedBy(2)).untilAsserted(() -> {
                assertThat(outbox.fence()).as("fence").isEqualTo(fence);
                assertThat(outbox.leaseIsFree()).isTrue();
                assertThat(leader.ready().body()).contains(AWAY);
                assertThat(standby.ready().body()).contains(AWAY);
            });

            gate.restore();

            await().atMost(Duration.ofSeconds(60)).until(() -> leader.isStreaming() != standby.isStreaming());
            (leader.isStreaming() ? standby : leader).awaitStandby();
            outbox.awaitBatchAfter(outbox.batches() + 2);
            last = load.stop();
            outbox.awaitSettled();
            assertThat(outbox.fence()).isEqualTo(fence + 1);
            outbox.requireNothingSettledByAnOlderLeader(outbox.fence());
        }
        outbox.requireOnEveryTopic(last);
        outbox.requireProvedOnce(last);
    }

    private RelayProcess start(ProcessOutbox outbox, String bootstrapServers) {
        return RelayProcess.start(
                directory,
                outbox.environment(
                        "POSTHASTE_KAFKA_BOOTSTRAP_SERVERS", bootstrapServers, "POSTHASTE_REQUEST_TIMEOUT", "3s"));
    }
}
