package dev.posthaste.relay.cli;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LoggingTest {

    @Test
    void onlyTheRelayTellsItsLife() {
        assertThat(Logging.isRelay("relay", "--config", "x")).isTrue();
        assertThat(Logging.isRelay("--verbose", "relay")).isTrue();
        assertThat(Logging.isRelay("init", "--namespace", "relay")).isFalse();
        assertThat(Logging.isRelay("--help")).isFalse();
        assertThat(Logging.isRelay()).isFalse();
    }
}
