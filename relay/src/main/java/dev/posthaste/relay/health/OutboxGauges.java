package dev.posthaste.relay.health;

import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import org.jspecify.annotations.Nullable;

/**
 * The gauges that the leader reads from the database every few seconds (provision S1 30); scraping asks no database.
 * Only the leader knows them: elsewhere, and after its term, they are NaN. Thread-safe.
 */
public final class OutboxGauges {

    private final MeterRegistry registry;
    private final MultiGauge failed;
    private final MultiGauge pending;
    private final MultiGauge pendingAge;
    private volatile @Nullable OutboxFigures figures;

    OutboxGauges(MeterRegistry registry) {
        this.registry = registry;
        gauge("posthaste.message.pending", "messages committed and not yet proved", read -> read.pending()
                .messages());
        gauge("posthaste.message.pending.age", "age of the oldest pending message in seconds", read -> read.pending()
                .oldestSeconds());
        gauge(
                "posthaste.message.failed",
                "open quarantines of all handlers",
                read -> read.failed() + read.deadLetters());
        gauge("posthaste.slot.lag", "WAL not yet acknowledged, in bytes", OutboxFigures::slotLagBytes);
        gauge(
                "posthaste.slot.lag.age",
                "age of the oldest WAL not yet acknowledged, in seconds",
                OutboxFigures::slotLagSeconds);
        gauge("posthaste.slot.retained", "WAL held back by the slot, in bytes", OutboxFigures::slotRetainedBytes);
        state("pending", read -> read.pending().messages());
        state("failed", OutboxFigures::failed);
        state("dead-letter", OutboxFigures::deadLetters);
        this.failed = MultiGauge.builder("posthaste.handler.failed")
                .description("open quarantines by handler")
                .register(registry);
        this.pending = MultiGauge.builder("posthaste.handler.pending")
                .description("pending messages by handler")
                .register(registry);
        this.pendingAge = MultiGauge.builder("posthaste.handler.pending.age")
                .description("age of the oldest pending message of a handler in seconds")
                .register(registry);
    }

    private void gauge(String name, String description, ToDoubleFunction<OutboxFigures> value) {
        Gauge.builder(name, this, self -> self.value(value))
                .description(description)
                .register(registry);
    }

    private void state(String state, ToDoubleFunction<OutboxFigures> value) {
        Gauge.builder("posthaste.message.state", this, self -> self.value(value))
                .description("messages that are not done, by state")
                .tag("state", state)
                .register(registry);
    }

    private double value(ToDoubleFunction<OutboxFigures> value) {
        OutboxFigures known = figures;
        return known == null ? Double.NaN : value.applyAsDouble(known);
    }

    /** Takes what was read. */
    public void set(OutboxFigures read) {
        figures = read;
        register(failed, read.failedByHandler(), Long::doubleValue);
        register(pending, read.pendingByHandler(), OutboxFigures.Pending::messages);
        register(pendingAge, read.pendingByHandler(), OutboxFigures.Pending::oldestSeconds);
    }

    private static <T> void register(MultiGauge gauge, Map<String, T> byHandler, ToDoubleFunction<T> value) {
        gauge.register(
                byHandler.entrySet().stream()
                        .map(entry -> MultiGauge.Row.of(
                                Tags.of("handler", entry.getKey()), value.applyAsDouble(entry.getValue())))
                        .toList(),
                true);
    }

    /** Forgets it: somebody else leads from here on, or it has become too old. */
    public void forget() {
        figures = null;
        List.of(failed, pending, pendingAge).forEach(gauge -> gauge.register(List.of(), true));
    }
}
