package dev.posthaste.examples.process;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.posthaste.relay.publishing.Position;
import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.ReportedCase;
import dev.posthaste.testkit.Stack;
import dev.posthaste.testkit.faults.KafkaGate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * SIGKILL of a relay under load at each named point of the publish cycle. The point is reached by holding the relay
 * from outside, never by chance, and the data that the dead relay leaves prove that it died there; another relay then
 * goes on, and nothing is lost, doubled, out of order or without evidence.
 */
@PosthasteStack
class KillPointsTest {

    /** Longer than any wait here, so that a relay that is held keeps its lease until it is killed. */
    private static final String LEASE = "60s";

    @TempDir
    private Path directory;

    @Test
    void killedBeforeTheFirstRecordOfABatch(Stack stack) throws Exception {
        killAt(KafkaGate.Point.FIRST_RECORD, stack, outbox -> {
            requireNothingCommittedUnproved(outbox);
            assertThat(uncommitted(outbox)).as("copies that reached the broker").isZero();
        });
    }

    @Test
    @ReportedCase(1)
    void killedMidTransactionWhenSomeOfABatchHasReachedTheBroker(Stack stack) throws Exception {
        killAt(KafkaGate.Point.LATER_RECORD, stack, outbox -> {
            requireNothingCommittedUnproved(outbox);
            assertThat(uncommitted(outbox)).as("copies that reached the broker").isPositive();
        });
    }

    @Test
    void killedWhenEverythingHasReachedTheBrokerButForTheCommit(Stack stack) throws Exception {
        killAt(KafkaGate.Point.COMMIT, stack, outbox -> {
            requireNothingCommittedUnproved(outbox);
            assertThat(outbox.uncommittedOn("due-notice")).isPositive().isEqualTo(outbox.uncommittedOn("statistics"));
        });
    }

    @Test
    void killedAfterTheCommitRequestAndBeforeItsAnswer(Stack stack) throws Exception {
        killAt(KafkaGate.Point.COMMIT_ANSWER, stack, KillPointsTest::requireABatchCommittedAndUnproved);
    }

    private interface Proof {
        void require(ProcessOutbox outbox);
    }

    private void killAt(KafkaGate.Point point, Stack stack, Proof proof) throws Exception {
        ProcessOutbox outbox = ProcessOutbox.initialised(stack);
        try (Load load = Load.start(outbox, 0)) {
            try (KafkaGate gate = KafkaGate.before(outbox.bootstrapServers())) {
                try (RelayProcess relay = start(outbox, gate)) {
                    relay.awaitStreaming();
                    outbox.awaitBatchAfter(outbox.batches() + 2);
                    gate.holdAt(point);
                    gate.awaitHeld();

                    relay.process().kill();
                }
                proof.require(outbox);
            }
            anotherGoesOn(outbox, load);
        }
    }

    /** Each record in a request of its own per topic, so that a batch takes several. */
    private RelayProcess start(ProcessOutbox outbox, KafkaGate gate) {
        return RelayProcess.start(
                directory,
                outbox.environment(
                        "POSTHASTE_LEASE",
                        LEASE,
                        "POSTHASTE_KAFKA_BOOTSTRAP_SERVERS",
                        gate.bootstrapServers(),
                        "POSTHASTE_KAFKA_PROPERTIES_BATCH_SIZE",
                        "1"));
    }

    private static int uncommitted(ProcessOutbox outbox) {
        return ProcessOutbox.HANDLERS.stream().mapToInt(outbox::uncommittedOn).sum();
    }

    private static void requireNothingCommittedUnproved(ProcessOutbox outbox) {
        for (String handler : ProcessOutbox.HANDLERS) {
            assertThat((long) outbox.numbersOn(handler).size())
                    .as("committed for %s", handler)
                    .isEqualTo(outbox.proved());
        }
        assertThat(position(outbox).batch()).isEqualTo(outbox.batches());
        assertThat(outbox.number("SELECT count(*) FROM outbox.pending()")).isPositive();
    }

    private static void requireABatchCommittedAndUnproved(ProcessOutbox outbox) {
        long batches = outbox.batches();
        // The broker ends on its own what it was asked to commit.
        await().until(() -> position(outbox).batch() == batches + 1);
        for (String handler : ProcessOutbox.HANDLERS) {
            assertThat((long) outbox.numbersOn(handler).size())
                    .as("committed for %s", handler)
                    .isEqualTo(outbox.proved() + position(outbox).batchMessages());
        }
    }

    private static Position position(ProcessOutbox outbox) {
        return outbox.position().orElseThrow();
    }

    private void anotherGoesOn(ProcessOutbox outbox, Load load) throws InterruptedException {
        int last;
        try (RelayProcess another = RelayProcess.start(directory, outbox.environment())) {
            another.awaitStreaming();
            outbox.awaitBatchAfter(outbox.batches() + 1);
            last = load.stop();
            outbox.awaitSettled();
        }
        outbox.requireOnEveryTopic(last);
        outbox.requireProvedOnce(last);
    }

    @Test
    void killedAfterTheCommitAndBeforeTheEvidence(Stack stack) throws Exception {
        ProcessOutbox outbox = ProcessOutbox.initialised(stack);
        try (Load load = Load.start(outbox, 0);
                HeldEvidence evidence = HeldEvidence.of(outbox)) {
            try (RelayProcess relay = RelayProcess.start(directory, outbox.environment("POSTHASTE_LEASE", LEASE))) {
                relay.awaitStreaming();
                outbox.awaitBatchAfter(outbox.batches() + 2);
                evidence.hold();
                evidence.awaitHeld();
                requireABatchCommittedAndUnproved(outbox);

                relay.process().kill();
            }
            evidence.release();
            evidence.awaitGone();
            requireABatchCommittedAndUnproved(outbox);
            anotherGoesOn(outbox, load);
        }
    }

    @Test
    void killedAfterTheEvidenceAndBeforeTheSlotMoved(Stack stack) throws Exception {
        ProcessOutbox outbox = ProcessOutbox.initialised(stack);
        try (Load load = Load.start(outbox, 0);
                HeldEvidence evidence = HeldEvidence.of(outbox)) {
            try (RelayProcess relay = RelayProcess.start(directory, outbox.environment("POSTHASTE_LEASE", LEASE))) {
                relay.awaitStreaming();
                outbox.awaitBatchAfter(outbox.batches() + 2);
                evidence.hold();
                evidence.awaitHeld();
                long batch = outbox.batches();
                try (FrozenWalsender walsender = FrozenWalsender.of(outbox)) {
                    String slotAt = slot(outbox);
                    evidence.release();
                    outbox.awaitBatchAfter(batch);

                    relay.process().kill();

                    walsender.endUnthawed();
                    assertThat(slot(outbox)).as("where the slot stands").isEqualTo(slotAt);
                }
                Position position = position(outbox);
                assertThat(outbox.number("SELECT count(*) FROM pg_replication_slots WHERE slot_name = '" + outbox.slot()
                                + "' AND confirmed_flush_lsn < '" + position.ack() + "'"))
                        .as("the slot stands before the position's ack")
                        .isOne();
                assertThat(outbox.number("SELECT count(*) FROM outbox.dispatch_batch WHERE batch = " + (batch + 1)))
                        .isOne();
            }
            anotherGoesOn(outbox, load);
        }
    }

    private static String slot(ProcessOutbox outbox) {
        return Long.toHexString(outbox.number("SELECT confirmed_flush_lsn - '0/0' FROM pg_replication_slots"
                + " WHERE slot_name = '" + outbox.slot() + "'"));
    }

    @Test
    void killedDuringItsStartWhenItHasTheLeaseAndFencesTheOlderPublishers(Stack stack) throws Exception {
        ProcessOutbox outbox = ProcessOutbox.initialised(stack);
        try (Load load = Load.start(outbox, 0)) {
            publishSomeAndDie(outbox);
            long fence = outbox.fence();
            try (KafkaGate gate = KafkaGate.before(outbox.bootstrapServers())) {
                gate.holdAt(KafkaGate.Point.START);
                try (RelayProcess relay = start(outbox, gate)) {
                    gate.awaitHeld();

                    relay.process().kill();
                }
            }
            requireLedAndNeverStreamed(outbox, fence);
            anotherGoesOn(outbox, load);
        }
    }

    @Test
    void killedDuringItsStartAfterTheLastCheckAndBeforeItStreams(Stack stack) throws Exception {
        ProcessOutbox outbox = ProcessOutbox.initialised(stack);
        try (Load load = Load.start(outbox, 0)) {
            publishSomeAndDie(outbox);
            long fence = outbox.fence();
            try (Connection session = outbox.connect();
                    Statement statement = session.createStatement()) {
                session.setAutoCommit(false);
                // What is quarantined already, it asks last of all.
                statement.execute("LOCK TABLE outbox.quarantined IN ACCESS EXCLUSIVE MODE");
                try (RelayProcess relay = RelayProcess.start(directory, outbox.environment("POSTHASTE_LEASE", LEASE))) {
                    outbox.awaitNumber(
                            "SELECT count(*) FROM pg_stat_activity WHERE usename = '" + outbox.role()
                                    + "' AND application_name = 'posthaste-evidence' AND wait_event = 'relation'",
                            1);

                    relay.process().kill();
                }
                session.rollback();
            }
            requireLedAndNeverStreamed(outbox, fence);
            anotherGoesOn(outbox, load);
        }
    }

    private void publishSomeAndDie(ProcessOutbox outbox) {
        try (RelayProcess relay = RelayProcess.start(directory, outbox.environment())) {
            relay.awaitStreaming();
            outbox.awaitBatchAfter(outbox.batches() + 2);
            relay.process().kill();
        }
        outbox.awaitNoWalsender();
    }

    private static void requireLedAndNeverStreamed(ProcessOutbox outbox, long fenceBefore) {
        assertThat(outbox.fence()).as("fence").isGreaterThan(fenceBefore);
        assertThat(outbox.leaseIsFree()).as("the lease was given back").isFalse();
        assertThat(position(outbox).fence()).isLessThanOrEqualTo(fenceBefore);
        assertThat(outbox.number("SELECT count(*) FROM outbox.dispatch_batch WHERE fence > " + fenceBefore))
                .isZero();
        assertThat(outbox.number("SELECT count(*) FROM outbox.pending()")).isPositive();
    }
}
