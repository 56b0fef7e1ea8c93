package dev.posthaste.relay;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;

import dev.posthaste.relay.health.RelayMeters;

import static org.assertj.core.api.Assertions.assertThat;

class KafkaReachTest {

    private static final Duration PAUSE = Duration.ofSeconds(2);

    private final List<CompletableFuture<Void>> questions = new ArrayList<>();
    private long nanos = -1;
    private final KafkaReach kafka = new KafkaReach(
            () -> {
                questions.add(new CompletableFuture<>());
                return last();
            },
            new Backoff(PAUSE, PAUSE, () -> 1.0),
            () -> nanos,
            new RelayMeters(new SimpleMeterRegistry()));

    private CompletableFuture<Void> last() {
        return questions.get(questions.size() - 1);
    }

    private void pass(Duration time) {
        nanos += time.toNanos();
    }

    @Test
    void kafkaIsReachedWhenItHasAnsweredAndNotBefore() {
        assertThat(kafka.look()).isFalse();
        assertThat(kafka.look()).as("one question at a time").isFalse();
        assertThat(questions).hasSize(1);

        last().complete(null);

        assertThat(kafka.look()).isTrue();
        assertThat(kafka.why()).isNull();
    }

    @Test
    void anAnswerCountsForAWhileOnlyAndIsRenewed() {
        kafka.look();
        last().complete(null);
        assertThat(kafka.look()).isTrue();

        pass(Duration.ofSeconds(2));
        assertThat(kafka.look()).as("while the next answer is on its way").isTrue();
        assertThat(questions).hasSize(2);
        pass(Duration.ofSeconds(2));
        assertThat(kafka.look()).as("when that does not come").isFalse();
        last().complete(null);
        assertThat(kafka.look()).isTrue();
    }

    @Test
    void afterAFailureItIsAskedAgainOnlyWhenThePauseIsOver() {
        kafka.look();
        last().completeExceptionally(new TimeoutException("no broker"));

        assertThat(kafka.look()).isFalse();
        assertThat(kafka.why()).isEqualTo("KAFKA failed: TimeoutException: no broker");
        pass(PAUSE.minusNanos(1));
        assertThat(kafka.look()).isFalse();
        assertThat(questions).hasSize(1);
        pass(Duration.ofNanos(1));
        assertThat(kafka.look()).isFalse();
        assertThat(questions).hasSize(2);
        last().complete(null);
        assertThat(kafka.look()).isTrue();
    }

    @Test
    void whatWasAskedBeforeALeaderFailedCountsNoMore() {
        kafka.look();
        last().complete(null);
        kafka.look();
        pass(Duration.ofSeconds(1));
        kafka.look();
        CompletableFuture<Void> early = last();

        kafka.forget(new TimeoutException("no commit"));
        early.complete(null);

        assertThat(kafka.look()).isFalse();
        assertThat(kafka.why()).contains("no commit");
        assertThat(last()).isNotSameAs(early);
        last().complete(null);
        assertThat(kafka.look()).isTrue();
    }
}
