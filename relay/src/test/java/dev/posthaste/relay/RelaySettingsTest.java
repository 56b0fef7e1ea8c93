package dev.posthaste.relay;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.posthaste.relay.publishing.KafkaSettings;
import dev.posthaste.relay.publishing.PublisherSettings;
import dev.posthaste.relay.source.DatabaseSettings;
import dev.posthaste.schemas.Namespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class RelaySettingsTest {

    private static final DatabaseSettings DATABASE =
            new DatabaseSettings("localhost", 5432, "library", "relay", "secret", "prefer");
    private static final RelaySettings.Bounds BATCH = new RelaySettings.Bounds(500, 1000);
    private static final RelaySettings.Bounds QUEUE = new RelaySettings.Bounds(2000, 1000);

    private static RelaySettings settings(
            String slot, Duration lease, RelaySettings.Bounds queue, Duration poll, Duration heartbeat) {
        return settings(slot, lease, queue, poll, heartbeat, Duration.ofSeconds(10));
    }

    private static RelaySettings settings(
            String slot,
            Duration lease,
            RelaySettings.Bounds queue,
            Duration poll,
            Duration heartbeat,
            Duration requestTimeout) {
        return new RelaySettings(
                new Namespace("library"),
                slot,
                "posthaste",
                DATABASE,
                new KafkaSettings("localhost:9092", Map.of()),
                Path.of("catalog"),
                lease,
                BATCH,
                queue,
                poll,
                heartbeat,
                requestTimeout,
                Duration.ofSeconds(5),
                new RelaySettings.HttpSettings("127.0.0.1", 0));
    }

    private static RelaySettings sound() {
        return settings("library", Duration.ofSeconds(3), QUEUE, Duration.ofMillis(5), Duration.ofSeconds(1));
    }

    @Test
    void soundSettingsAreTakenAndKeepThePasswordToThemselves() {
        assertThatCode(RelaySettingsTest::sound).doesNotThrowAnyException();
        assertThat(sound()).asString().doesNotContain("secret");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Library",
                "a-b",
                "a b",
                "x'; DROP",
                "0123456789012345678901234567890123456789012345678901234567890123"
            })
    void aSlotNameThatPostgresqlRefusesIsRefused(String slot) {
        assertRefused(slot, Duration.ofSeconds(3), QUEUE, Duration.ofMillis(5), "slot");
    }

    @Test
    void aLeaseTooShortToRenewIsRefused() {
        assertRefused("library", Duration.ofMillis(999), QUEUE, Duration.ofMillis(5), "lease");
    }

    private static RelaySettings timed(Duration lease, Duration requestTimeout) {
        return settings("library", lease, QUEUE, Duration.ofMillis(5), Duration.ofSeconds(1), requestTimeout);
    }

    @Test
    void aKafkaTransactionOutlivesTheSlowestBatchOfALeaderThatLives() {
        Duration lease = Duration.ofSeconds(3);
        Duration request = Duration.ofSeconds(30);
        PublisherSettings publisher = timed(lease, request).publisher();
        Duration sendAndCommit = publisher.requestTimeout().multipliedBy(2);
        assertThat(publisher.transactionTimeout()).isEqualTo(sendAndCommit.plus(lease));
    }

    @Test
    void aLeaseAndRequestsThatNoBrokerAllowsATransactionForAreRefused() {
        assertThatCode(() -> timed(Duration.ofMinutes(2), Duration.ofMinutes(5)))
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> timed(Duration.ofMinutes(6), Duration.ofMinutes(5)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("lease is 360 s and request timeout is 300 s");
    }

    @Test
    void aRequestThatMayTakeNoTimeIsRefused() {
        assertThatThrownBy(() -> timed(Duration.ofSeconds(3), Duration.ZERO)).hasMessageContaining("request timeout");
    }

    @Test
    void aPollNoShorterThanTheHeartbeatIsRefused() {
        assertRefused("library", Duration.ofSeconds(3), QUEUE, Duration.ofSeconds(1), "poll");
    }

    @Test
    void aQueueNoLargerThanABatchIsRefused() {
        assertRefused("library", Duration.ofSeconds(3), BATCH, Duration.ofMillis(5), "queue");
    }

    @Test
    void boundsBelowOneAreRefused() {
        assertThatThrownBy(() -> new RelaySettings.Bounds(0, 1)).hasMessageContaining("0 messages");
        assertThatThrownBy(() -> new RelaySettings.Bounds(1, 0)).hasMessageContaining("0 bytes");
    }

    private static void assertRefused(
            String slot, Duration lease, RelaySettings.Bounds queue, Duration poll, String named) {
        assertThatThrownBy(() -> settings(slot, lease, queue, poll, Duration.ofSeconds(1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(named);
    }
}
