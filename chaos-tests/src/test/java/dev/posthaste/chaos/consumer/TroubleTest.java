package dev.posthaste.chaos.consumer;

import java.time.Duration;
import java.util.UUID;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class TroubleTest {

    private static final int MESSAGES = 10_000;

    private final Trouble trouble = new Trouble(1, 0.1, 0.05, 0, Duration.ZERO);

    private boolean fails(int message, int attempt) {
        try {
            trouble.strike("ledger", new UUID(0, message), attempt);
            return false;
        } catch (Trouble.PoisonException e) {
            return false;
        } catch (IllegalStateException e) {
            return true;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void anAttemptFailsWhetherOrNotTheOneBeforeHas() {
        long once = IntStream.range(0, MESSAGES).filter(n -> fails(n, 1)).count();
        long twice = IntStream.range(0, MESSAGES)
                .filter(n -> fails(n, 1) && fails(n, 2))
                .count();

        assertThat(once).isBetween(800L, 1_100L);
        assertThat(twice).isBetween(50L, 150L);
    }

    @Test
    void poisonStaysPoison() {
        Trouble poison = new Trouble(7, 0, 1, 0, Duration.ZERO);
        assertThat(IntStream.range(1, 40))
                .allSatisfy(attempt -> assertThatThrownBy(() -> poison.strike("ledger", new UUID(1, 2), attempt))
                        .isInstanceOf(Trouble.PoisonException.class));
    }
}
