package dev.posthaste.examples.process;

import java.nio.file.Path;
import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.ReportedCase;
import dev.posthaste.testkit.Stack;
import dev.posthaste.testkit.faults.StoreLink;

import static org.assertj.core.api.Assertions.assertThat;

/** A relay process whose Kafka fails it in every way, one after another, under load. */
@PosthasteStack
class KafkaOutagesTest {

    @TempDir
    private Path directory;

    @Test
    @ReportedCase(10)
    void awayInEveryWayKafkaIsWaitedForAndNothingIsLostOrDoubled(Stack stack) throws Exception {
        ProcessOutbox outbox = ProcessOutbox.initialised(stack);
        try (StoreLink link = StoreLink.toKafka(outbox.bootstrapServers());
                RelayProcess relay = RelayProcess.start(
                        directory,
                        outbox.environment(
                                "POSTHASTE_KAFKA_BOOTSTRAP_SERVERS", link.address(),
                                "POSTHASTE_REQUEST_TIMEOUT", "3s",
                                "POSTHASTE_BATCH_MESSAGES", "500"))) {
            relay.awaitStreaming();
            int last;
            WatchedOutage outage;
            try (Load load = Load.start(outbox, 0)) {
                outbox.awaitBatchAfter(outbox.batches() + 10);
                outage = WatchedOutage.ofKafka(relay, outbox);

                outage.watch("Kafka refuses", WatchedOutage.LONG, "KAFKA failed", link::refuse, () -> {
                    requireNothingIsRead(outbox);
                    link.heal();
                });
                outage.watch("Kafka is half open", WatchedOutage.SHORT, "KAFKA failed", link::stall, () -> {
                    requireNothingIsRead(outbox);
                    assertThat(link.heldBack()).isPositive();
                    link.heal();
                });
                cutIsMended(link, outbox);
                outage.requireSlowIsNotAway(link, Duration.ofMillis(50));
                last = load.stop();
            }
            outbox.awaitSettled();
            outage.requireNothingLeft();
            WatchedOutage.requireNothingLostOrDoubled(outbox, last);
        }
    }

    /** What the relay could not publish it does not read either. */
    private static void requireNothingIsRead(ProcessOutbox outbox) {
        assertThat(outbox.number("SELECT count(*) FROM pg_replication_slots WHERE active AND slot_name = '"
                        + outbox.slot() + "'"))
                .isZero();
    }

    private static void cutIsMended(StoreLink link, ProcessOutbox outbox) {
        for (int n = 0; n < 3; n++) {
            link.cut();
            outbox.awaitBatchAfter(outbox.batches() + 3);
        }
    }
}
