package dev.posthaste.consumer.internal;

import java.time.Duration;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

/** The meters of one handler. Thread-safe. */
final class DeliveryMeters {

    private final Counter completed;
    private final Counter duplicate;
    private final Counter waiting;
    private final Counter failed;
    private final Counter contended;
    private final Counter quarantined;
    private final Counter deadLetter;
    private final Counter stale;
    private final Counter probeFailed;
    private final Timer duration;
    private final SuccessShare success = new SuccessShare();

    DeliveryMeters(MeterRegistry registry, String handler) {
        this.completed = attempts(registry, handler, "completed");
        this.duplicate = attempts(registry, handler, "duplicate");
        this.waiting = attempts(registry, handler, "waiting");
        this.failed = attempts(registry, handler, "failed");
        this.contended = attempts(registry, handler, "contended");
        this.quarantined = attempts(registry, handler, "quarantined");
        this.deadLetter = attempts(registry, handler, "dead-letter");
        this.stale = attempts(registry, handler, "stale");
        this.probeFailed = attempts(registry, handler, "probe-failed");
        this.duration = Timer.builder("posthaste.delivery.duration")
                .description("How long the handler takes for one message")
                .tag("handler", handler)
                .register(registry);
        Gauge.builder("posthaste.delivery.success", success, SuccessShare::value)
                .description("Share of the last 100 attempts that had their effect")
                .tag("handler", handler)
                .strongReference(true)
                .register(registry);
    }

    private static Counter attempts(MeterRegistry registry, String handler, String outcome) {
        return Counter.builder("posthaste.delivery.attempts")
                .description("Messages by what became of them")
                .tag("handler", handler)
                .tag("outcome", outcome)
                .register(registry);
    }

    void committed(int newlyCompleted, int duplicates) {
        completed.increment(newlyCompleted);
        success.add(true, newlyCompleted);
        duplicate.increment(duplicates);
    }

    /** Kept behind a message of their key. */
    void waiting(int kept) {
        waiting.increment(kept);
    }

    void failed() {
        failed.increment();
        success.add(false, 1);
    }

    /** Beside {@link #failed}. */
    void deadLetter() {
        deadLetter.increment();
    }

    /** What came of a call was refused: its lease had ended. */
    void stale() {
        stale.increment();
    }

    /** While the handler pauses; no attempt is spent. */
    void probeFailed() {
        probeFailed.increment();
    }

    void contended() {
        contended.increment();
    }

    /** Markers passed by: their messages are quarantined by the relay. */
    void quarantined(int markers) {
        quarantined.increment(markers);
    }

    void took(long nanos) {
        duration.record(Duration.ofNanos(nanos));
    }
}
