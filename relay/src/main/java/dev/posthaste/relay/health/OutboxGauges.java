package dev.posthaste.relay.health;

import java.util.List;
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

    private final MultiGauge quarantined;
    private volatile @Nullable OutboxFigures figures;

    OutboxGauges(MeterRegistry registry) {
        gauge(registry, "posthaste.message.pending", "messages committed and not yet proved", OutboxFigures::pending);
        gauge(
                registry,
                "posthaste.message.pending.age",
                "age of the oldest pending message in seconds",
                OutboxFigures::oldestPendingSeconds);
        gauge(registry, "posthaste.slot.lag", "WAL not yet acknowledged, in bytes", OutboxFigures::slotLagBytes);
        gauge(
                registry,
                "posthaste.slot.retained",
                "WAL held back by the slot, in bytes",
                OutboxFigures::slotRetainedBytes);
        gauge(
                registry,
                "posthaste.message.failed",
                "open quarantines of all handlers",
                read -> read.quarantined().values().stream()
                        .mapToLong(Long::longValue)
                        .sum());
        this.quarantined = MultiGauge.builder("posthaste.handler.failed")
                .description("open quarantines by handler")
                .register(registry);
    }

    private void gauge(MeterRegistry registry, String name, String description, ToDoubleFunction<OutboxFigures> value) {
        Gauge.builder(name, this, self -> {
                    OutboxFigures known = self.figures;
                    return known == null ? Double.NaN : value.applyAsDouble(known);
                })
                .description(description)
                .register(registry);
    }

    /** Takes what was read. */
    public void set(OutboxFigures read) {
        figures = read;
        quarantined.register(
                read.quarantined().entrySet().stream()
                        .map(entry -> MultiGauge.Row.of(Tags.of("handler", entry.getKey()), entry.getValue()))
                        .toList(),
                true);
    }

    /** Forgets it: somebody else leads from here on. */
    public void forget() {
        figures = null;
        quarantined.register(List.of(), true);
    }
}
