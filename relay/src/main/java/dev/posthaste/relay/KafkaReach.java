package dev.posthaste.relay;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.posthaste.relay.health.RelayMeters;

/**
 * Whether Kafka answers from here, which a candidate must know before it takes the lease: one that is cut off would
 * keep the others from publishing, and take the lease from them again and again. Confined to the relay's thread.
 */
final class KafkaReach {

    private static final Logger log = LoggerFactory.getLogger(KafkaReach.class);

    /** How often to ask while Kafka answers. */
    private static final Duration EVERY = Duration.ofSeconds(1);
    /** An answer counts for so long. */
    private static final Duration RECENT = Duration.ofSeconds(3);

    private final Supplier<CompletableFuture<Void>> probe;
    private final Backoff backoff;
    private final LongSupplier nanoClock;
    private final RelayMeters meters;
    private @Nullable CompletableFuture<Void> question;
    private @Nullable Throwable failure;
    private boolean reached;
    private long reachedAt;
    private long askAt;

    /**
     * Asks nothing yet.
     *
     * @param probe asks, and does not wait
     * @param backoff between questions while Kafka is away
     * @param nanoClock as {@link System#nanoTime()}
     */
    KafkaReach(Supplier<CompletableFuture<Void>> probe, Backoff backoff, LongSupplier nanoClock, RelayMeters meters) {
        this.probe = probe;
        this.backoff = backoff;
        this.nanoClock = nanoClock;
        this.meters = meters;
        this.askAt = nanoClock.getAsLong();
    }

    /** Takes an answer that has come, asks when it is time, and says whether Kafka answered recently. */
    boolean look() {
        long now = nanoClock.getAsLong();
        if (question != null && question.isDone()) {
            answered(question, now);
            question = null;
        }
        if (question == null && now - askAt >= 0) {
            question = probe.get();
        }
        return reached && now - reachedAt <= RECENT.toNanos();
    }

    private void answered(CompletableFuture<Void> answer, long now) {
        failure = failureOf(answer);
        reached = failure == null;
        if (reached) {
            reachedAt = now;
            askAt = now + EVERY.toNanos();
            backoff.reset();
            meters.storeIsAvailable(RelayMeters.Store.KAFKA);
        } else {
            Duration pause = backoff.next();
            askAt = now + pause.toNanos();
            meters.storeIsAway(RelayMeters.Store.KAFKA);
            log.warn("{}; asking again in {} ms", why(), pause.toMillis());
        }
    }

    private static @Nullable Throwable failureOf(CompletableFuture<Void> answer) {
        try {
            answer.join();
            return null;
        } catch (CompletionException e) {
            return e.getCause() == null ? e : e.getCause();
        }
    }

    /** Why Kafka is not reached, as it was told last; null: nobody knows yet. */
    @Nullable
    String why() {
        return failure == null ? null : Blame.KAFKA.says(failure);
    }

    /** What there is to wait for: the open question, or the other thing where there is none. */
    CompletableFuture<?> questionOr(CompletableFuture<?> other) {
        return question != null ? question : other;
    }

    /** A leader has failed with Kafka: what was answered before counts no more. */
    void forget(Throwable why) {
        reached = false;
        failure = why;
        question = null;
        askAt = nanoClock.getAsLong();
    }
}
