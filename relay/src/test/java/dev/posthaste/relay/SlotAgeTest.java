package dev.posthaste.relay;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class SlotAgeTest {

    private static final long SECOND = 1_000_000_000L;

    private final SlotAge age = new SlotAge();

    @Test
    void aSlotThatHasAcknowledgedEverythingIsNotBehind() {
        assertThat(age.seconds(0, 100, 100)).isZero();
        assertThat(age.seconds(5 * SECOND, 100, 100)).isZero();
    }

    @Test
    void theAgeGrowsWhileTheSlotStandsAndFallsWhenItMoves() {
        assertThat(age.seconds(0, 100, 100)).isZero();
        assertThat(age.seconds(5 * SECOND, 200, 100)).isEqualTo(5);
        assertThat(age.seconds(10 * SECOND, 300, 100)).isEqualTo(10);
        assertThat(age.seconds(15 * SECOND, 400, 250))
                .as("200 is acknowledged, seen at 5 s")
                .isEqualTo(10);
        assertThat(age.seconds(20 * SECOND, 400, 400)).isZero();
    }

    @Test
    void aSlotThatStandsForDaysIsToldInBoundedMemoryAndExactly() {
        for (int look = 0; look < 100_000; look++) {
            age.seconds(look * 5 * SECOND, 100 + look, 100);
        }
        assertThat(age.seconds(500_000 * SECOND, 200_000, 100)).isEqualTo(500_000);
    }
}
