package dev.posthaste.relay;

import java.nio.file.Path;
import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.Stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@PosthasteStack
class MetersTest {

    @Test
    void gaugesTellWhatTheTablesTellAndNothingOnceTheTermIsOver(Stack stack, @TempDir Path directory) throws Exception {
        Outbox outbox = Outbox.initialised(stack, directory);
        RunningRelay relay = RunningRelay.start(outbox.settings()).awaitStreaming();
        try (relay) {
            outbox.insert(5, "copy-1");
            outbox.sql("INSERT INTO outbox.message (kind, type, schema_version, payload) "
                    + "VALUES ('integration-event', 'library.unheard-of', 1, '{}')");
            await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
                assertThat(relay.gauge("posthaste.message.failed")).isEqualTo(1);
                assertThat(relay.gauge("posthaste.message.pending")).isEqualTo(0);
                assertThat(relay.gauge("posthaste.message.pending.age")).isEqualTo(0);
                assertThat(relay.gauge("posthaste.slot.retained")).isGreaterThan(0);
            });
            assertThat(relay.gauge("posthaste.handler.failed")).isEqualTo(1);
            assertThat(relay.gauge("posthaste.handler.pending")).isEqualTo(0);
            assertThat(relay.gauge("posthaste.slot.lag.age")).isGreaterThanOrEqualTo(0);
            assertThat(relay.gauge("posthaste.batch.success")).isEqualTo(1);
            assertThat(relay.gauge("posthaste.relay.leading")).isEqualTo(1);
            assertThat(relay.counter("posthaste.message.dispatched")).isEqualTo(6);
            assertThat(relay.counter("posthaste.message.quarantined")).isEqualTo(1);
        }
        assertThat(relay.gauge("posthaste.relay.leading")).isEqualTo(0);
        assertThat(relay.gauge("posthaste.message.pending")).isNaN();
    }
}
