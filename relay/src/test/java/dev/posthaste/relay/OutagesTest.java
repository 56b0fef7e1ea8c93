package dev.posthaste.relay;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.posthaste.relay.publishing.Position;
import dev.posthaste.relay.source.Lsn;
import dev.posthaste.testkit.EmbeddedKafka;
import dev.posthaste.testkit.EmbeddedPostgres;
import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.ServerSettings;
import dev.posthaste.testkit.Stack;
import dev.posthaste.testkit.StopMode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** A store that goes away is no fault of a message: the relay waits and goes on by itself. */
@PosthasteStack
class OutagesTest {

    @Test
    void afterKafkaWasAwayItGoesOnByItselfAndNothingIsLostOrDoubled(Stack stack, @TempDir Path directory)
            throws Exception {
        try (EmbeddedKafka kafka = EmbeddedKafka.launch()) {
            Outbox outbox = Outbox.initialised(new OwnStack(stack.postgres(), kafka), directory);
            try (RunningRelay relay = RunningRelay.start(
                            Adjusted.requestTimeout(outbox.settings(), Duration.ofSeconds(3)))
                    .awaitStreaming()) {
                outbox.insert(50, "copy-1");
                outbox.awaitDispatched();

                kafka.stop();
                outbox.insert(50, "copy-1");
                relay.awaitStandby("KAFKA failed");
                Lsn slot = outbox.slot();
                outbox.insert(50, "copy-1");
                assertThat(outbox.dispatched()).isEqualTo(50);

                kafka.start();
                assertThat(outbox.position().ack().isBefore(slot))
                        .as("the slot beyond the position")
                        .isFalse();
                relay.awaitStreaming();
                outbox.awaitDispatched();
            }
            assertThat(outbox.idsOn("due-notice")).isEqualTo(outbox.ids()).hasSize(150);
            outbox.assertEachMessageIsPublishedOnceAndProvedOnce();
        }
    }

    @Test
    void afterACrashOfPostgresqlItGoesOnByItselfAndNothingIsLostOrDoubled(Stack stack, @TempDir Path directory)
            throws Exception {
        try (EmbeddedPostgres postgres = EmbeddedPostgres.launch()) {
            Outbox outbox = Outbox.initialised(new OwnStack(postgres, stack.kafka()), directory);
            try (RunningRelay relay = RunningRelay.start(Adjusted.batches(outbox.settings(), 50, 200))
                    .awaitStreaming()) {
                for (int n = 0; n < 2; n++) {
                    outbox.insert(3000, "copy-1");
                    long before = outbox.dispatched();
                    await().pollInterval(Duration.ofMillis(10)).until(() -> outbox.dispatched() > before);

                    if (n == 0) {
                        postgres.stop(StopMode.IMMEDIATE);
                    } else {
                        postgres.killHard();
                    }
                    relay.awaitStandby("POSTGRESQL failed");
                    Position position = outbox.position();
                    assertThat(position.inProgress())
                            .as("in the middle of the transaction")
                            .isNotNull();
                    assertThat(position.inProgress().rows()).isLessThan(3000);

                    postgres.start();
                    relay.awaitStreaming();
                    outbox.awaitDispatched();
                }
            }
            assertThat(outbox.idsOn("due-notice")).isEqualTo(outbox.ids()).hasSize(6000);
            outbox.assertEachMessageIsPublishedOnceAndProvedOnce();
        }
    }

    @Test
    void aSlotWhoseWalTheServerNoLongerHoldsHalts(Stack stack, @TempDir Path directory) throws Exception {
        ServerSettings small = ServerSettings.defaults()
                .withOptions(Map.of("max_slot_wal_keep_size", "1MB", "min_wal_size", "32MB", "max_wal_size", "32MB"));
        try (EmbeddedPostgres postgres = EmbeddedPostgres.launch(small)) {
            Outbox outbox = Outbox.initialised(new OwnStack(postgres, stack.kafka()), directory);
            outbox.sql("CREATE TABLE other_business (text text)");
            await().atMost(Duration.ofSeconds(60)).until(() -> {
                outbox.sql("INSERT INTO other_business SELECT repeat('x', 1000) FROM generate_series(1, 20000)");
                outbox.sql("SELECT pg_switch_wal()");
                outbox.sql("CHECKPOINT");
                return outbox.column("SELECT wal_status FROM pg_replication_slots")
                        .get(0)
                        .equals("lost");
            });
            try (RunningRelay relay = RunningRelay.start(outbox.settings())) {
                HaltReason reason = relay.awaitHalted();
                assertThat(reason.cause()).isEqualTo(HaltReason.Cause.SLOT_INVALIDATED);
                assertThat(reason.detail()).contains("lost");
            }
        }
    }
}
