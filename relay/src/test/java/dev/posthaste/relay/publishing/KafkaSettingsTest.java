package dev.posthaste.relay.publishing;

import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class KafkaSettingsTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "bootstrap.servers",
                "transactional.id",
                "enable.idempotence",
                "acks",
                "isolation.level",
                "retries",
                "retry.backoff.ms",
                "fetch.max.wait.ms",
                "key.serializer",
                "max.in.flight.requests.per.connection",
                "compression.type",
                "max.request.size",
                "delivery.timeout.ms",
                "request.timeout.ms",
                "max.block.ms",
                "partitioner.class",
                "partitioner.ignore.keys",
                "interceptor.classes"
            })
    void whatExactlyOnceRestsOnCannotBeSet(String property) {
        assertThatThrownBy(() -> new KafkaSettings("localhost:9092", Map.of(property, "x")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(property);
    }

    @Test
    void securityIsPassedOnAndKeptToItself() {
        KafkaSettings settings = new KafkaSettings("localhost:9092", Map.of("sasl.jaas.config", "password=secret"));

        assertThat(settings.with(Map.of("client.id", "me")))
                .containsEntry("sasl.jaas.config", "password=secret")
                .containsEntry("bootstrap.servers", "localhost:9092")
                .containsEntry("client.id", "me");
        assertThat(settings).asString().doesNotContain("secret");
    }

    @Test
    void anEmptyAddressIsRefused() {
        assertThatThrownBy(() -> new KafkaSettings(" ", Map.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("bootstrap");
    }
}
