package dev.posthaste.relay.health;

import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

import dev.posthaste.relay.routing.RoutedMessage;
import dev.posthaste.relay.routing.Unpublishable;

/**
 * The relay's meters (provisions S1 24, 30). Gauges may be set from any thread; batches are counted on the source's.
 */
public final class RelayMeters {

    /** What can be away. */
    public enum Store {
        /** The database of the outbox. */
        POSTGRESQL,
        /** The broker. */
        KAFKA
    }

    /** Nobody has asked the store yet; shown as NaN, so that no alarm takes it for an outage. */
    private static final int UNKNOWN = -1;

    private final MeterRegistry registry;
    private final Map<Store, AtomicInteger> available = new EnumMap<>(Store.class);
    private final AtomicInteger leading = new AtomicInteger();
    private final AtomicLong takeover = new AtomicLong(UNKNOWN);
    private final OutboxGauges outbox;
    private final Counter messages;
    private final Timer batches;
    private final SuccessShare success = new SuccessShare();
    /** Bounded by the catalog: one per topic. */
    private final Map<String, Counter> copies = new HashMap<>();

    /** Registers the meters. */
    public RelayMeters(MeterRegistry registry) {
        this.registry = registry;
        this.outbox = new OutboxGauges(registry);
        for (Store store : Store.values()) {
            AtomicInteger value = new AtomicInteger(UNKNOWN);
            available.put(store, value);
            Gauge.builder("posthaste.store.available", value, RelayMeters::availability)
                    .description("1 while the store answers, 0 while it is away, NaN while it was never asked")
                    .tag("store", store.name().toLowerCase(Locale.ROOT))
                    .register(registry);
        }
        Gauge.builder("posthaste.relay.leading", leading, AtomicInteger::get)
                .description("1 while this relay leads")
                .register(registry);
        Gauge.builder("posthaste.relay.takeover", takeover, RelayMeters::seconds)
                .description("seconds without a leader before this relay took over last; NaN: it never did")
                .register(registry);
        this.messages = Counter.builder("posthaste.message.dispatched")
                .description("messages published and proved")
                .register(registry);
        Gauge.builder("posthaste.batch.success", success, SuccessShare::value)
                .description("share of the last 100 attempts to publish and prove a batch that succeeded")
                .register(registry);
        this.batches = Timer.builder("posthaste.batch.duration")
                .description("from the begin of a Kafka transaction to its evidence")
                .register(registry);
    }

    /** The store answered. */
    public void storeIsAvailable(Store store) {
        gauge(store).set(1);
    }

    /** The store failed. */
    public void storeIsAway(Store store) {
        gauge(store).set(0);
    }

    private static double availability(AtomicInteger value) {
        return value.get() == UNKNOWN ? Double.NaN : value.get();
    }

    private static double seconds(AtomicLong millis) {
        return millis.get() == UNKNOWN ? Double.NaN : millis.get() / 1000.0;
    }

    private AtomicInteger gauge(Store store) {
        return Objects.requireNonNull(available.get(store));
    }

    /** Whether this relay leads. */
    public void leads(boolean leads) {
        leading.set(leads ? 1 : 0);
        if (!leads) {
            outbox.forget();
        }
    }

    /** This relay leads after another: for so long nobody was seen to lead. */
    public void tookOver(Duration gap) {
        takeover.set(gap.toMillis());
    }

    /** The gauges that the database feeds. */
    public OutboxGauges outbox() {
        return outbox;
    }

    /** Counts an attempt to publish and prove a batch that failed. */
    public void batchFailed() {
        attempts("failed").increment();
        success.add(false);
    }

    /** Counts a batch that an outage ended: no attempt failed. */
    public void batchInterrupted() {
        attempts("interrupted").increment();
    }

    private Counter attempts(String outcome) {
        return Counter.builder("posthaste.batch.attempts")
                .description("attempts to publish and prove a batch")
                .tag("outcome", outcome)
                .register(registry);
    }

    /** Counts a batch that is published and proved. */
    public void batchSettled(List<RoutedMessage> batch, long nanos) {
        attempts("settled").increment();
        success.add(true);
        messages.increment(batch.size());
        batches.record(Duration.ofNanos(nanos));
        for (RoutedMessage message : batch) {
            for (String topic : message.topics()) {
                copies.computeIfAbsent(topic, this::copiesOf).increment();
            }
        }
    }

    /** Counts a message that is set aside for a handler. */
    public void quarantined(Unpublishable fault) {
        Counter.builder("posthaste.message.quarantined")
                .description("messages set aside, by handler and cause")
                .tag("handler", fault.handler())
                .tag("cause", fault.cause().name().toLowerCase(Locale.ROOT))
                .register(registry)
                .increment();
    }

    /** What became of an attempt to publish a quarantined message by itself. */
    public enum RetryOutcome {
        /** It is published. */
        RELEASED,
        /** It is tried again. */
        FAILED,
        /** It is left to an operator. */
        EXHAUSTED
    }

    /** Counts an attempt to publish a quarantined message by itself. */
    public void retried(String handler, RetryOutcome outcome) {
        Counter.builder("posthaste.message.retries")
                .description("attempts to publish a quarantined message by itself")
                .tag("handler", handler)
                .tag("outcome", outcome.name().toLowerCase(Locale.ROOT))
                .register(registry)
                .increment();
    }

    private Counter copiesOf(String topic) {
        return Counter.builder("posthaste.message.published")
                .description("copies on a handler's topic")
                .tag("topic", topic)
                .register(registry);
    }
}
