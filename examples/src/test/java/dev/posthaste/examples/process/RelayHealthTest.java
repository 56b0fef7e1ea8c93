package dev.posthaste.examples.process;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.posthaste.relay.publishing.Position;
import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.ReportedCase;
import dev.posthaste.testkit.Stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** What a relay process tells of itself over HTTP. */
@PosthasteStack
class RelayHealthTest {

    @TempDir
    private Path directory;

    @Test
    void aLeaderIsLiveAndReadyAndCountsWhatItPublishes(Stack stack) {
        ProcessOutbox outbox = ProcessOutbox.initialised(stack);
        try (RelayProcess relay = RelayProcess.start(directory, outbox.environment())) {
            relay.awaitStreaming();
            outbox.insert(1, 50);
            outbox.awaitSettled();

            assertThat(relay.live().status()).isEqualTo(200);
            assertThat(relay.live().body()).contains("\"status\":\"up\"", "\"state\":\"streaming\"", "\"fence\":");
            String topic = outbox.namespace() + ".statistics";
            await().atMost(Duration.ofSeconds(10))
                    .untilAsserted(() -> assertThat(relay.get("/metrics").body())
                            .contains("posthaste_store_available{store=\"kafka\"} 1.0")
                            .contains("posthaste_store_available{store=\"postgresql\"} 1.0")
                            .contains("posthaste_relay_leading 1.0")
                            .contains("posthaste_message_dispatched_total 50.0")
                            .contains("posthaste_message_published_total{topic=\"" + topic + "\"} 50.0")
                            .contains("posthaste_batch_duration_seconds_count", "jvm_memory_used_bytes")
                            .doesNotContain(ProcessOutbox.SECRET, ProcessOutbox.PASSWORD));
            assertThat(relay.get("/metrics").status()).isEqualTo(200);
            for (String unknown : new String[] {"/", "/health", "/health/liveness", "/health/live/x", "/metricsx"}) {
                assertThat(relay.get(unknown).status()).as(unknown).isEqualTo(404);
            }
        }
    }

    @Test
    @ReportedCase(10)
    void unreadyHostPollsNoStore(Stack stack) {
        ProcessOutbox outbox = ProcessOutbox.initialised(stack);
        outbox.insert(1, 10);
        Optional<Position> position = outbox.position();
        try (RelayProcess relay = RelayProcess.start(
                directory,
                outbox.environment(
                        "POSTHASTE_KAFKA_BOOTSTRAP_SERVERS", "127.0.0.1:1", "POSTHASTE_REQUEST_TIMEOUT", "1s"))) {
            relay.awaitHealth(503, "KAFKA failed: ");
            assertThat(relay.live().status()).isEqualTo(200);
            assertThat(relay.get("/metrics").body())
                    .contains("posthaste_store_available{store=\"kafka\"} 0.0")
                    .contains("posthaste_store_available{store=\"postgresql\"} 1.0")
                    .contains("posthaste_relay_leading 0.0");
            staysUnready(relay);
            assertThat(outbox.number("SELECT count(*) FROM pg_stat_activity WHERE usename = '" + outbox.role()
                            + "' AND backend_type = 'walsender'"))
                    .as("what cannot be published is not read either")
                    .isZero();
        }
        assertThat(outbox.position()).isEqualTo(position).isPresent();
        outbox.requireOnEveryTopic(0);
    }

    @Test
    void aRelayWithAWrongPasswordIsLiveAndNotReadyAndNamesTheCause(Stack stack) {
        ProcessOutbox outbox = ProcessOutbox.initialised(stack);
        outbox.insert(1, 10);
        Optional<Position> position = outbox.position();
        try (RelayProcess relay =
                RelayProcess.start(directory, outbox.environment("POSTHASTE_DATABASE_PASSWORD", "not-the-secret"))) {
            relay.awaitHealth(503, "password authentication failed");
            assertThat(relay.ready().body()).contains("POSTGRESQL failed: ").doesNotContain("not-the-secret");
            assertThat(relay.live().status()).isEqualTo(200);
            assertThat(relay.get("/metrics").body()).contains("posthaste_store_available{store=\"postgresql\"} 0.0");
            staysUnready(relay);
            assertThat(relay.process().err()).doesNotContain("not-the-secret");
        }
        assertThat(outbox.position()).isEqualTo(position);
    }

    /** Through several of its tries. */
    private static void staysUnready(RelayProcess relay) {
        await().pollInterval(Duration.ofMillis(20))
                .during(Duration.ofSeconds(3))
                .atMost(Duration.ofSeconds(30))
                .until(() -> relay.ready().status() == 503);
    }
}
