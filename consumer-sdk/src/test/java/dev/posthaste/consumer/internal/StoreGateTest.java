package dev.posthaste.consumer.internal;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class StoreGateTest {

    private final AtomicLong nanos = new AtomicLong(-5);
    private final StoreGate gate = new StoreGate("the store", Duration.ofSeconds(2), nanos::get);

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    @Test
    void itIsOpenUntilATryFailsAndAgainAfterAWhile() {
        assertThat(gate.isOpen()).isTrue();
        gate.failed(new IllegalStateException());
        assertThat(gate.isOpen()).isFalse();
        assertThat(gate.isAvailable()).isFalse();
        pass(Duration.ofMillis(101));
        assertThat(gate.isOpen()).as("to try").isTrue();
        assertThat(gate.isAvailable()).as("not tried yet").isFalse();
        gate.succeeded();
        assertThat(gate.isAvailable()).isTrue();
    }

    @Test
    void whatAStoreSaysStaysOnOneLine() {
        gate.failed(new SQLException("ERROR: away\n23:00:00 INFO all is well \u001b[32m"));
        assertThat(gate.why()).endsWith("ERROR: away\\n23:00:00 INFO all is well \\u001b[32m");
    }

    @Test
    void howeverManyFailTogetherThePauseGrowsOnce() {
        for (int i = 0; i < 1_000; i++) {
            gate.failed(new IllegalStateException());
        }
        pass(Duration.ofMillis(101));
        assertThat(gate.isOpen()).isTrue();
    }

    @Test
    void ofManyThatWaitOneMayTryUntilItTellsWhatItFound() {
        assertThat(gate.mayTry()).isTrue();
        assertThat(gate.mayTry()).as("while nothing is wrong all may").isTrue();
        gate.failed(new IllegalStateException());
        assertThat(gate.mayTry()).isFalse();
        for (int i = 0; i < 10; i++) {
            pass(Duration.ofMillis(2_001));
            assertThat(gate.mayTry()).isTrue();
            assertThat(gate.mayTry()).as("another tries").isFalse();
            gate.failed(new IllegalStateException());
            assertThat(gate.mayTry()).as("a new pause").isFalse();
        }
        pass(Duration.ofMillis(2_001));
        assertThat(gate.mayTry()).isTrue();
        gate.succeeded();
        assertThat(gate.mayTry()).isTrue();
        assertThat(gate.mayTry()).isTrue();
    }

    @Test
    void whereTheOneThatTriesTellsNothingAnotherDoes() {
        gate.failed(new IllegalStateException());
        pass(Duration.ofMillis(101));
        assertThat(gate.mayTry()).isTrue();
        pass(Duration.ofMillis(4_999));
        assertThat(gate.mayTry()).isFalse();
        pass(Duration.ofMillis(2));
        assertThat(gate.mayTry()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "42P01, posthaste init --inbox",
        "3F000, posthaste init --inbox",
        "42501, posthaste_consumer",
        "28P01, user and password",
        "3D000, data source's URL"
    })
    void whatNoWaitingMendsIsSaidWithWhatToDo(String state, String remedy) {
        assertThat(gate.why()).isNull();
        gate.failed(new IllegalStateException("the pool gave none", new SQLException("no", state)));
        assertThat(gate.why()).contains("the pool gave none", "SQLException: no; ", remedy);
        gate.succeeded();
        assertThat(gate.why()).isNull();
        gate.failed(new SQLException("away", "08006"));
        assertThat(gate.why()).isEqualTo("java.sql.SQLException: away");
    }

    @Test
    void thePauseIsBounded() {
        for (int i = 0; i < 100; i++) {
            gate.failed(new IllegalStateException());
            pass(Duration.ofMillis(2_001));
            assertThat(gate.isOpen()).isTrue();
        }
    }

    @Test
    void delaysGrowToTheBoundAndAreSpreadOverIt() {
        Backoff backoff = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(10));
        Random random = new Random(1);
        for (int attempt = 1; attempt < 60; attempt++) {
            long bound = Math.min(100L << Math.min(attempt - 1, 20), 10_000);
            for (int i = 0; i < 100; i++) {
                assertThat(backoff.delay(attempt, random).toMillis()).isBetween(1L, bound);
            }
        }
        assertThat(IntStream.range(0, 1_000)
                        .mapToLong(i -> backoff.delay(30, random).toMillis())
                        .filter(delay -> delay < 1_000)
                        .count())
                .as("full jitter")
                .isBetween(50L, 150L);
    }
}
