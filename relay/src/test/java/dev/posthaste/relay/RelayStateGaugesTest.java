package dev.posthaste.relay;

import java.time.Instant;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RelayStateGaugesTest {

    @Test
    void stateAndFenceAreToldThoughNobodyElseHoldsWhatTellsThem() {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        RelayState streaming = new RelayState.Standby(Instant.EPOCH, "starting")
                .toAcquiring(Instant.EPOCH, 7)
                .toStreaming(Instant.EPOCH, 7);
        RelayStateGauges.register(registry, () -> streaming);
        System.gc(); // a gauge holds what it asks weakly, unless it is told not to

        assertThat(registry.get("posthaste.relay.state")
                        .tag("state", "streaming")
                        .gauge()
                        .value())
                .isEqualTo(1);
        assertThat(registry.get("posthaste.relay.state")
                        .tag("state", "halted")
                        .gauge()
                        .value())
                .isZero();
        assertThat(registry.get("posthaste.relay.fence").gauge().value()).isEqualTo(7);
    }
}
