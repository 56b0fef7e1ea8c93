package dev.posthaste.relay;

import java.time.Instant;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RelayStateTest {

    private static final Instant NOW = Instant.parse("2026-03-04T05:06:07Z");
    private static final HaltReason REASON = new HaltReason(HaltReason.Cause.SLOT_MISSING, "no slot", "make one");

    @Test
    void aLifeGoesFromStandbyThroughStreamingAndBack() {
        RelayState.Streaming streaming = new RelayState.Standby(NOW, "starting")
                .toAcquiring(NOW.plusSeconds(1), 2)
                .toStreaming(NOW.plusSeconds(2), 3);

        assertThat(streaming).isEqualTo(new RelayState.Streaming(NOW.plusSeconds(2), 3));
        assertThat(streaming.toDraining(NOW.plusSeconds(3)).toStandby(NOW.plusSeconds(4), "told to stop"))
                .isEqualTo(new RelayState.Standby(NOW.plusSeconds(4), "told to stop"));
    }

    @Test
    void aTermMayHaltBeforeAndAfterItStreams() {
        RelayState.Halted halted = new RelayState.Halted(NOW, REASON);

        assertThat(new RelayState.Acquiring(NOW, 1).toHalted(NOW, REASON)).isEqualTo(halted);
        assertThat(new RelayState.Draining(NOW).toHalted(NOW, REASON)).isEqualTo(halted);
        assertThat(halted.toStandby(NOW, "looking again")).isEqualTo(new RelayState.Standby(NOW, "looking again"));
    }

    @Test
    void everyStateHasANameOnTheWire() {
        assertThat(new RelayState.Standby(NOW, "").wireName()).isEqualTo("standby");
        assertThat(new RelayState.Acquiring(NOW, 1).wireName()).isEqualTo("acquiring");
        assertThat(new RelayState.Acquiring(NOW, 1).toStandby(NOW, "").wireName())
                .isEqualTo("standby");
        assertThat(new RelayState.Streaming(NOW, 1).wireName()).isEqualTo("streaming");
        assertThat(new RelayState.Draining(NOW).wireName()).isEqualTo("draining");
        assertThat(new RelayState.Halted(NOW, REASON).wireName()).isEqualTo("halted");
    }
}
