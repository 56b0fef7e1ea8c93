package dev.posthaste.examples.process;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.Stack;
import dev.posthaste.testkit.faults.KafkaGate;

import static org.assertj.core.api.Assertions.assertThat;

/** {@code posthaste repair} as a process that gets SIGKILL while it publishes. */
@PosthasteStack
class KilledRepairTest {

    private static final int BEFORE_THE_GAP = 30;
    private static final int MISSING = 3_000;

    @TempDir
    private Path directory;

    @Test
    void writersDuringRepairLoseAndDoubleNothingThoughTheRepairIsKilledAtEachPoint(Stack stack) throws Exception {
        ProcessOutbox outbox = ProcessOutbox.initialised(stack);
        publishSomeAndLoseTheSlot(outbox);
        outbox.insert(BEFORE_THE_GAP + 1, BEFORE_THE_GAP + MISSING);
        int last;
        try (Load load = Load.start(outbox, BEFORE_THE_GAP + MISSING)) {
            for (KafkaGate.Point point : KafkaGate.Point.values()) {
                killRepairAt(point, outbox);
            }
            killRepairBetweenCommitAndEvidence(outbox);
            assertThat(outbox.proved())
                    .as("proved, after all the kills, of what was missing")
                    .isBetween(BEFORE_THE_GAP + 1L, BEFORE_THE_GAP + MISSING - 1L);

            try (PosthasteProcess repair = repair(outbox, outbox.bootstrapServers())) {
                assertThat(repair.awaitExit()).as(repair.err()).isZero();
                assertThat(repair.out()).contains("were missing and are published", "streaming resumes at");
            }
            try (RelayProcess relay = RelayProcess.start(directory, outbox.environment())) {
                relay.awaitStreaming();
                outbox.awaitBatchAfter(outbox.batches() + 1);
                last = load.stop();
                outbox.awaitSettled();
            }
        }
        requireEachOnceInAnyOrder(outbox, last);
    }

    private void publishSomeAndLoseTheSlot(ProcessOutbox outbox) {
        outbox.insert(1, BEFORE_THE_GAP);
        try (RelayProcess relay = RelayProcess.start(directory, outbox.environment())) {
            relay.awaitStreaming();
            outbox.awaitSettled();
            relay.process().terminate();
            relay.process().awaitExit();
        }
        outbox.awaitNoWalsender();
        outbox.sql("SELECT pg_drop_replication_slot('" + outbox.slot() + "')");
    }

    private void killRepairAt(KafkaGate.Point point, ProcessOutbox outbox) throws Exception {
        long proved = outbox.proved();
        try (KafkaGate gate = KafkaGate.before(outbox.bootstrapServers())) {
            if (point == KafkaGate.Point.START) {
                gate.holdAt(point);
            }
            try (PosthasteProcess repair = repair(outbox, gate.bootstrapServers())) {
                if (point != KafkaGate.Point.START) {
                    outbox.awaitBatchAfter(outbox.batches() + 1);
                    gate.holdAt(point);
                }
                gate.awaitHeld();

                repair.kill();

                assertThat(repair.out()).doesNotContain("streaming resumes");
            }
        }
        if (point != KafkaGate.Point.START) {
            assertThat(outbox.proved())
                    .as("proved before it was killed at %s", point)
                    .isGreaterThan(proved);
        }
        outbox.awaitNoWalsender();
    }

    private void killRepairBetweenCommitAndEvidence(ProcessOutbox outbox) throws Exception {
        try (HeldEvidence evidence = HeldEvidence.of(outbox);
                PosthasteProcess repair = repair(outbox, outbox.bootstrapServers())) {
            outbox.awaitBatchAfter(outbox.batches() + 1);
            evidence.hold();
            evidence.awaitHeld();

            repair.kill();

            evidence.release();
            outbox.awaitNoWalsender();
            assertThat(outbox.position().orElseThrow().batch())
                    .as("the last batch on the topics")
                    .isEqualTo(outbox.batches() + 1);
            assertThat(repair.out()).doesNotContain("streaming resumes");
        }
    }

    /** A lease longer than any wait here, so that a repair that is held keeps it until it is killed. */
    private PosthasteProcess repair(ProcessOutbox outbox, String bootstrapServers) throws Exception {
        return PosthasteProcess.start(
                Files.createTempDirectory(directory, "repair"),
                outbox.environment(
                        "POSTHASTE_LEASE",
                        "60s",
                        "POSTHASTE_KAFKA_BOOTSTRAP_SERVERS",
                        bootstrapServers,
                        "POSTHASTE_KAFKA_PROPERTIES_BATCH_SIZE",
                        "1"),
                List.of("repair"));
    }

    /** A repair reads the table, which has no order of commits. */
    private static void requireEachOnceInAnyOrder(ProcessOutbox outbox, int last) {
        List<Integer> all = IntStream.rangeClosed(1, last).boxed().toList();
        for (String handler : ProcessOutbox.HANDLERS) {
            assertThat(outbox.numbersOn(handler).stream().sorted().toList())
                    .as("on the topic of %s", handler)
                    .isEqualTo(all);
        }
        assertThat(outbox.proved()).isEqualTo(last);
        assertThat(outbox.number("SELECT count(DISTINCT id) FROM outbox.message m WHERE EXISTS"
                        + " (SELECT FROM outbox.dispatch_batch b WHERE m.id = ANY (b.message_ids))"))
                .isEqualTo(last);
        assertThat(outbox.number("SELECT count(*) FROM outbox.pending()")).isZero();
    }
}
