package dev.posthaste.relay;

import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.posthaste.testkit.EmbeddedPostgres;
import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.ReportedCase;
import dev.posthaste.testkit.ServerSettings;
import dev.posthaste.testkit.Stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@PosthasteStack
class InvalidatedSlotTest {

    @Test
    @ReportedCase(3)
    void aSlotInvalidatedWhileItStreamsHaltsIsNotHealthyAndIsRepaired(Stack stack, @TempDir Path directory)
            throws Exception {
        ServerSettings small = ServerSettings.defaults()
                .withOptions(Map.of("max_slot_wal_keep_size", "1MB", "min_wal_size", "32MB", "max_wal_size", "32MB"));
        List<String> said = new ArrayList<>();
        try (EmbeddedPostgres postgres = EmbeddedPostgres.launch(small)) {
            Outbox outbox = Outbox.initialised(new OwnStack(postgres, stack.kafka()), directory);
            try (RunningRelay relay = RunningRelay.start(outbox.settings()).awaitStreaming()) {
                outbox.insert(5, "copy-1");
                outbox.awaitDispatched();
                try (Connection open = outbox.connect()) {
                    open.setAutoCommit(false); // an open transaction holds the slot's oldest WAL back
                    open.createStatement().execute(Outbox.insertStatement(5, "copy-2"));
                    await().atMost(Duration.ofSeconds(60)).until(() -> {
                        outbox.sql("SELECT pg_switch_wal()");
                        outbox.sql("CHECKPOINT");
                        return outbox.column("SELECT wal_status FROM pg_replication_slots")
                                .get(0)
                                .equals("lost");
                    });
                    HaltReason reason = relay.awaitHalted();
                    assertThat(reason.cause()).isEqualTo(HaltReason.Cause.SLOT_INVALIDATED);
                    assertThat(reason.detail()).contains("wal_removed");
                    assertThat(reason.remedy()).contains("posthaste repair");
                    RelayHealth health = new RelayHealth(relay.relay());
                    assertThat(health.ready().ok()).isFalse();
                    assertThat(health.ready().json()).contains("SLOT_INVALIDATED");
                    open.commit();
                }
                assertThat(outbox.pending()).isEqualTo(5);

                assertThat(Repairs.of(outbox, said).run(false, Duration.ofSeconds(20)))
                        .isTrue();

                outbox.insert(5, "copy-3");
                outbox.awaitDispatched();
            }
            assertThat(outbox.ids()).hasSize(15);
            outbox.assertEachMessageIsPublishedOnceAndProvedOnce();
        }
    }
}
