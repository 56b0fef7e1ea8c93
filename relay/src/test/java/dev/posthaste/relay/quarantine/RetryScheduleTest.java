package dev.posthaste.relay.quarantine;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class RetryScheduleTest {

    private static final RetrySchedule SCHEDULE = new RetrySchedule(Duration.ofSeconds(1), Duration.ofSeconds(10), 7);

    @Test
    void theBoundOfThePauseDoublesUpToTheMaximumAndTheLastAttemptHasNone() {
        assertThat(pauses(0)).containsExactly(1000L, 2000L, 4000L, 8000L, 10_000L, 10_000L);
        assertThat(SCHEDULE.after(7, 0)).isEmpty();
        assertThat(SCHEDULE.after(8, 0)).isEmpty();
    }

    @Test
    void thePauseIsAtLeastHalfItsBound() {
        assertThat(pauses(1)).containsExactly(500L, 1000L, 2000L, 4000L, 5000L, 5000L);
    }

    @Test
    void theDefaultGoesOnForMoreThanAnHourAndEnds() {
        Duration all = IntStream.rangeClosed(1, RetrySchedule.DEFAULT.attempts())
                .mapToObj(attempt -> RetrySchedule.DEFAULT.after(attempt, 0.5).orElse(Duration.ZERO))
                .reduce(Duration.ZERO, Duration::plus);
        assertThat(all).isBetween(Duration.ofHours(1), Duration.ofHours(2));
    }

    @Test
    void aScheduleThatDoesNotGoOnOrEndIsRefused() {
        assertThatThrownBy(() -> new RetrySchedule(Duration.ZERO, Duration.ofSeconds(1), 1))
                .hasMessageContaining("begin after 0 ms");
        assertThatThrownBy(() -> new RetrySchedule(Duration.ofSeconds(2), Duration.ofSeconds(1), 1))
                .hasMessageContaining("pause at most 1000 ms");
        assertThatThrownBy(() -> new RetrySchedule(Duration.ofSeconds(1), Duration.ofSeconds(1), 0))
                .hasMessageContaining("after 0 attempts");
    }

    private static List<Long> pauses(double random) {
        return IntStream.rangeClosed(1, 6)
                .mapToObj(
                        attempt -> SCHEDULE.after(attempt, random).orElseThrow().toMillis())
                .toList();
    }
}
