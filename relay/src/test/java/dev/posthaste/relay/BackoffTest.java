package dev.posthaste.relay;

import java.time.Duration;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class BackoffTest {

    private static final Duration FIRST = Duration.ofMillis(100);
    private static final Duration MAX = Duration.ofSeconds(5);

    @Test
    void theBoundDoublesUpToTheMaximum() {
        Backoff backoff = new Backoff(FIRST, MAX, () -> 1.0);
        assertThat(IntStream.range(0, 8).mapToObj(n -> backoff.next().toMillis()))
                .containsExactly(100L, 200L, 400L, 800L, 1600L, 3200L, 5000L, 5000L);
    }

    @Test
    void aDelayIsNeverShorterThanHalfTheBound() {
        Backoff backoff = new Backoff(FIRST, MAX, () -> 0.0);
        assertThat(IntStream.range(0, 7).mapToObj(n -> backoff.next().toMillis()))
                .containsExactly(50L, 100L, 200L, 400L, 800L, 1600L, 2500L);
    }

    @Test
    void anyNumberOfFailuresStaysWithinTheMaximum() {
        Backoff backoff = new Backoff(FIRST, MAX, () -> 1.0);
        assertThat(IntStream.range(0, 10_000).mapToObj(n -> backoff.next()))
                .allMatch(delay -> delay.compareTo(MAX) <= 0 && delay.compareTo(Duration.ZERO) > 0);
    }

    @Test
    void aResetBeginsAgain() {
        Backoff backoff = new Backoff(FIRST, MAX, () -> 1.0);
        backoff.next();
        backoff.next();
        backoff.reset();
        assertThat(backoff.next()).isEqualTo(FIRST);
    }
}
