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
class RelayTest {

    @Test
    void committedRowsReachEveryHandlersTopicOnceAndInOrder(Stack stack, @TempDir Path directory) throws Exception {
        Outbox outbox = Outbox.initialised(stack, directory);
        try (RunningRelay relay = RunningRelay.start(outbox.settings()).awaitStreaming()) {
            outbox.insert(1000, "copy-1");
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> outbox.number("SELECT messages FROM outbox.pending_summary()") == 0);
        }
        assertThat(outbox.idsOn("due-notice")).isEqualTo(outbox.ids()).hasSize(1000);
        assertThat(outbox.idsOn("statistics")).isEqualTo(outbox.ids());
    }
}
