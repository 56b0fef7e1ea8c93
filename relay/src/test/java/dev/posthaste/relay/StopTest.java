package dev.posthaste.relay;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.posthaste.testkit.EmbeddedKafka;
import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.Stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** A relay that is told to stop ends within a bound, whatever state it is in, and leaves nothing behind. */
@PosthasteStack
class StopTest {

    /**
     * What a stop may take at worst: the drain, a request to Kafka, the end of the engine, and the producer's close.
     */
    private static Duration bound(RelaySettings settings) {
        return settings.drain().plus(settings.requestTimeout()).plusSeconds(5);
    }

    private static void assertNothingIsLeft(Outbox outbox) {
        assertThat(outbox.column("SELECT application_name || ' ' || coalesce(state, '') FROM pg_stat_activity"
                        + " WHERE datname = current_database() AND pid <> pg_backend_pid()"
                        + " AND backend_type IN ('client backend', 'walsender')"))
                .isEmpty();
        assertThat(outbox.number("SELECT count(*) FROM pg_replication_slots WHERE active AND slot_name = '"
                        + outbox.settings().slot() + "'"))
                .isZero();
        assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .noneMatch(name ->
                        List.of("posthaste-relay", "posthaste-lease", "posthaste-source", "posthaste-maintenance")
                                        .contains(name)
                                || name.startsWith("debezium-")
                                || name.startsWith("kafka-producer-network-thread | posthaste-relay-"
                                        + outbox.settings().publisher().transactionalId()));
    }

    private static void assertStops(RunningRelay relay, Outbox outbox) throws InterruptedException {
        assertThat(relay.relay().stop(bound(outbox.settings())))
                .as("stopped within the bound")
                .isTrue();
        await().atMost(Duration.ofSeconds(5)).untilAsserted(() -> assertNothingIsLeft(outbox));
    }

    @Test
    void whileItStreams(Stack stack, @TempDir Path directory) throws Exception {
        Outbox outbox = Outbox.initialised(stack, directory);
        RunningRelay relay = RunningRelay.start(outbox.settings()).awaitStreaming();
        outbox.insert(10, "copy-1");
        outbox.awaitDispatched();
        assertStops(relay, outbox);
    }

    @Test
    void whileItStarts(Stack stack, @TempDir Path directory) throws Exception {
        Outbox outbox = Outbox.initialised(stack, directory);
        RunningRelay early = RunningRelay.start(outbox.settings());
        assertStops(early, outbox);
        RunningRelay acquiring = RunningRelay.start(outbox.settings());
        await().pollInterval(Duration.ofMillis(1))
                .until(() -> !(acquiring.relay().state() instanceof RelayState.Standby));
        assertStops(acquiring, outbox);
        // The engine is started, but its tasks are not: it refuses to be closed then.
        assertStops(RunningRelay.start(outbox.settings()).awaitStreaming(), outbox);
    }

    @Test
    void inTheMiddleOfALargeTransaction(Stack stack, @TempDir Path directory) throws Exception {
        Outbox outbox = Outbox.initialised(stack, directory);
        RunningRelay relay =
                RunningRelay.start(Adjusted.batches(outbox.settings(), 20, 60)).awaitStreaming();
        outbox.insert(10_000, "copy-1");
        await().pollInterval(Duration.ofMillis(10)).until(() -> outbox.dispatched() > 0);
        assertStops(relay, outbox);
        assertThat(outbox.pending()).isPositive();
        try (RunningRelay next = RunningRelay.start(outbox.settings())) {
            outbox.awaitDispatched();
        }
        assertThat(outbox.idsOn("due-notice")).isEqualTo(outbox.ids());
        outbox.assertEachMessageIsPublishedOnceAndProvedOnce();
    }

    @Test
    void whileItStandsBy(Stack stack, @TempDir Path directory) throws Exception {
        Outbox outbox = Outbox.initialised(stack, directory);
        try (RunningRelay leader = RunningRelay.start(outbox.settings()).awaitStreaming()) {
            RunningRelay standby = RunningRelay.start(outbox.settings());
            standby.awaitStandby("another relay leads");
            assertThat(standby.relay().stop(Duration.ofSeconds(2))).isTrue();
            assertThat(leader.relay().state()).isInstanceOf(RelayState.Streaming.class);
        }
    }

    @Test
    void whileItIsHalted(Stack stack, @TempDir Path directory) throws Exception {
        Outbox outbox = Outbox.initialised(stack, directory);
        outbox.sql("DELETE FROM relay.source");
        RunningRelay relay = RunningRelay.start(outbox.settings());
        relay.awaitHalted();
        assertStops(relay, outbox);
    }

    @Test
    void whileKafkaIsDown(Stack stack, @TempDir Path directory) throws Exception {
        try (EmbeddedKafka kafka = EmbeddedKafka.launch()) {
            Outbox outbox = Outbox.initialised(new OwnStack(stack.postgres(), kafka), directory);
            RelaySettings settings = Adjusted.requestTimeout(outbox.settings(), Duration.ofSeconds(3));
            RunningRelay publishing = RunningRelay.start(settings).awaitStreaming();
            try {
                kafka.stop();
                outbox.insert(10, "copy-1");
                assertStops(publishing, outbox);
                assertThat(outbox.pending()).isEqualTo(10);

                RunningRelay failing = RunningRelay.start(settings);
                failing.awaitStandby("KAFKA failed");
                assertStops(failing, outbox);
            } finally {
                kafka.start();
            }
        }
    }
}
