package dev.posthaste.examples.process;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Random;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.ReportedCase;
import dev.posthaste.testkit.Stack;
import dev.posthaste.testkit.faults.StoreLink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Relays that get SIGTERM. */
@PosthasteStack
class StoppedRelayTest {

    /** 128 and the signal's number, as every JVM ends by it; {@code posthaste --help} says so. */
    private static final int SIGTERM_EXIT = 143;

    /**
     * Longer than any wait of these tests: who leads after a stop was given the lease, and did not wait for its end.
     */
    private static final String[] LONG_LEASE = {"POSTHASTE_LEASE", "110s"};

    private static final int LARGE = 5_000;

    private static final int STOPS_DURING_START = 4;
    private static final int START_MILLIS = 3_000;

    @TempDir
    private Path directory;

    @Test
    void anIdleRelayEndsAndLeavesNothingBehind(Stack stack) {
        ProcessOutbox outbox = ProcessOutbox.initialised(stack);
        try (RelayProcess relay = RelayProcess.start(directory, outbox.environment(LONG_LEASE))) {
            relay.awaitStreaming();
            outbox.insert(1, 100);
            outbox.awaitSettled();
            // Kafka's clients unpack a native library for compression.
            assertThat(relay.process().temporaryFiles()).isNotEmpty();

            relay.process().terminate();

            requireGone(relay, outbox);
            assertThat(relay.process().out()).isEmpty();
            assertThat(relay.process().err())
                    .contains("stopped")
                    .doesNotContain(ProcessOutbox.SECRET, ProcessOutbox.PASSWORD);
        }
        anotherLeadsAtOnceAndPublishes(outbox, 100);
    }

    @Test
    void aStreamingRelayEndsAndLeavesNothingBehind(Stack stack) throws Exception {
        ProcessOutbox outbox = ProcessOutbox.initialised(stack);
        int last;
        try (Load load = Load.start(outbox, 0);
                RelayProcess relay = RelayProcess.start(directory, outbox.environment(LONG_LEASE))) {
            relay.awaitStreaming();
            outbox.awaitBatchAfter(outbox.batches() + 3);

            relay.process().terminate();

            requireGone(relay, outbox);
            last = load.stop();
            assertThat(outbox.number("SELECT messages FROM outbox.pending_summary()"))
                    .isPositive();
        }
        anotherLeadsAtOnceAndPublishes(outbox, last);
    }

    @Test
    void aRelayEndsAtAnyPointOfItsStart(Stack stack) {
        ProcessOutbox outbox = ProcessOutbox.initialised(stack);
        outbox.insert(1, 500);
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int stop = 1; stop <= STOPS_DURING_START; stop++) {
            try (RelayProcess relay = RelayProcess.start(directory, outbox.environment(LONG_LEASE))) {
                assertThat(relay.process().endsWithin(Duration.ofMillis(random.nextInt(START_MILLIS))))
                        .as(
                                "ended by itself, seed %d; it said: %s",
                                seed, relay.process().err())
                        .isFalse();

                relay.process().terminate();

                requireGone(relay, outbox);
            }
        }
        anotherLeadsAtOnceAndPublishes(outbox, 500);
    }

    @Test
    @ReportedCase(5)
    void reportedCase5_aRelayWhoseKafkaIsAwayEndsInTimeAndAnotherCanLead(Stack stack) {
        ProcessOutbox outbox = ProcessOutbox.initialised(stack);
        outbox.insert(1, 10);
        try (RelayProcess relay = RelayProcess.start(
                directory,
                outbox.environment(
                        "POSTHASTE_LEASE",
                        "110s",
                        "POSTHASTE_REQUEST_TIMEOUT",
                        "3s",
                        "POSTHASTE_KAFKA_BOOTSTRAP_SERVERS",
                        "127.0.0.1:1"))) {
            relay.awaitHealth(503, "KAFKA failed: ");

            relay.process().terminate();

            requireGone(relay, outbox);
        }
        anotherLeadsAtOnceAndPublishes(outbox, 10);
    }

    @Test
    @ReportedCase(5)
    void aRelayWhoseKafkaIsHalfOpenInTheMiddleOfALargeTransactionEndsInTimeAndAnotherCanLead(Stack stack) {
        ProcessOutbox outbox = ProcessOutbox.initialised(stack);
        try (StoreLink link = StoreLink.toKafka(outbox.bootstrapServers());
                RelayProcess relay = RelayProcess.start(
                        directory,
                        outbox.environment(
                                "POSTHASTE_LEASE", "110s",
                                "POSTHASTE_REQUEST_TIMEOUT", "3s",
                                "POSTHASTE_KAFKA_BOOTSTRAP_SERVERS", link.address()))) {
            relay.awaitStreaming();
            outbox.insert(1, LARGE);
            outbox.awaitBatchAfter(outbox.batches() + 3);
            link.stall();
            await().until(() -> link.heldBack() > 0);

            relay.process().terminate();

            requireGone(relay, outbox);
            assertThat(outbox.proved()).as("in the middle").isBetween(1L, LARGE - 1L);
            anotherLeadsAtOnceAndPublishes(outbox, LARGE);
            link.heal(); // what the old relay had sent arrives now
            outbox.insert(LARGE + 1, LARGE + 10);
        }
        anotherLeadsAtOnceAndPublishes(outbox, LARGE + 10);
    }

    @Test
    @ReportedCase(5)
    void aRelayWhosePostgresqlIsHalfOpenOrRefusesEndsInTimeAndAnotherLeadsAfterItsLease(Stack stack) {
        ProcessOutbox outbox = ProcessOutbox.initialised(stack);
        try (StoreLink link =
                StoreLink.toPostgres(stack.postgres().host(), stack.postgres().port())) {
            Map<String, String> through = outbox.environment(
                    "POSTHASTE_DATABASE_URL",
                    "postgresql://" + outbox.role() + "@" + link.address() + "/" + outbox.slot());
            try (RelayProcess streaming = RelayProcess.start(directory, through)) {
                streaming.awaitStreaming();
                outbox.insert(1, LARGE);
                outbox.awaitBatchAfter(outbox.batches() + 3);
                link.stall();
                await().until(() -> link.heldBack() > 0);
                requireEnds("while it streams", streaming);
            }
            try (RelayProcess connecting = RelayProcess.start(directory, through)) {
                connecting.awaitHealth(503, "standby");
                requireEnds("while it connects", connecting);
            }
            link.refuse();
            try (RelayProcess backingOff = RelayProcess.start(directory, through)) {
                backingOff.awaitHealth(503, "POSTGRESQL failed");
                requireEnds("while it backs off", backingOff);
            }
            link.heal();
            outbox.awaitNoWalsender();
        }
        anotherLeadsAtOnceAndPublishes(outbox, LARGE);
    }

    private static void requireEnds(String when, RelayProcess relay) {
        long told = System.nanoTime();
        relay.process().terminate();
        assertThat(relay.process().awaitExit()).isEqualTo(SIGTERM_EXIT);
        System.out.printf("told to stop %s, ended after %d ms%n", when, (System.nanoTime() - told) / 1_000_000);
        assertThat(relay.process().err()).doesNotContain("fault of Posthaste", "\tat ");
    }

    private static void requireGone(RelayProcess relay, ProcessOutbox outbox) {
        assertThat(relay.process().awaitExit()).isEqualTo(SIGTERM_EXIT);
        assertThat(outbox.leaseIsFree()).as("the lease is given back").isTrue();
        outbox.awaitNoWalsender();
        assertThat(relay.process().temporaryFiles()).isEmpty();
        assertThat(relay.process().err())
                .doesNotContain("fault of Posthaste", "\tat ")
                .doesNotContain("did not stop", "did not finish", "did not close");
    }

    private void anotherLeadsAtOnceAndPublishes(ProcessOutbox outbox, int last) {
        try (RelayProcess another = RelayProcess.start(directory, outbox.environment(LONG_LEASE))) {
            another.awaitStreaming();
            outbox.awaitSettled();
        }
        outbox.requireOnEveryTopic(last);
    }
}
