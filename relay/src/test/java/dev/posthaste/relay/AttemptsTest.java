package dev.posthaste.relay;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class AttemptsTest {

    @Test
    void countsHowOftenOneBatchWasTried() {
        Attempts attempts = new Attempts();
        assertThat(attempts.next(1)).isEqualTo(1);
        assertThat(attempts.next(1)).isEqualTo(2);
        assertThat(attempts.next(2)).isEqualTo(1);
        assertThat(attempts.next(2)).isEqualTo(2);
        assertThat(attempts.next(2)).isEqualTo(3);
    }

    @Test
    void anOutageSpendsNone() {
        Attempts attempts = new Attempts();
        assertThat(attempts.next(1)).isEqualTo(1);
        attempts.takeBack();
        assertThat(attempts.next(1)).isEqualTo(1);
        assertThat(attempts.next(1)).isEqualTo(2);
    }
}
