package dev.posthaste.relay;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.posthaste.relay.health.HealthServer;
import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.Stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Evidence that cannot be written, because somebody's DDL has its table in hand, holds up neither lease nor stop. */
@PosthasteStack
class LockedEvidenceTest {

    private static final Duration WAIT = Duration.ofSeconds(30);

    @Test
    void whileTheTableOfEvidenceIsLockedItIsNotReadyAndSaysWhyAndGoesOnAfterwards(Stack stack, @TempDir Path directory)
            throws Exception {
        Outbox outbox = Outbox.initialised(stack, directory);
        try (RunningRelay relay = RunningRelay.start(outbox.settings()).awaitStreaming();
                Connection ddl = outbox.connect()) {
            RelayHealth health = new RelayHealth(relay.relay());
            assertThat(health.ready().ok()).isTrue();
            long fence = fence(outbox);
            ddl.setAutoCommit(false);
            try (Statement statement = ddl.createStatement()) {
                statement.execute("LOCK TABLE outbox.dispatch_batch IN ACCESS EXCLUSIVE MODE");
            }

            outbox.insert(10, "copy-1");

            await().atMost(WAIT).pollInterval(Duration.ofMillis(10)).untilAsserted(() -> {
                HealthServer.Answer answer = health.ready();
                assertThat(answer.ok()).isFalse();
                assertThat(answer.json()).contains("POSTGRESQL failed: ", "lock timeout");
            });
            await("somebody could take the lease while the lock was held")
                    .atMost(WAIT)
                    .until(() -> fence(outbox) > fence);
            assertThat(relay.gauge("posthaste.relay.leading")).isZero();

            ddl.rollback();
            relay.awaitRestart();
            outbox.awaitDispatched();
            assertThat(health.ready().ok()).isTrue();
        }
        assertThat(outbox.idsOn("due-notice")).isEqualTo(outbox.ids()).hasSize(10);
        outbox.assertEachMessageIsPublishedOnceAndProvedOnce();
    }

    private static long fence(Outbox outbox) {
        return outbox.number("SELECT fence FROM relay.lease");
    }
}
