package dev.posthaste.consumer.internal;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import org.jspecify.annotations.Nullable;

import dev.posthaste.consumer.inbox.InboxStore;
import dev.posthaste.consumer.inbox.Waiting;

/**
 * The gauges of one handler (provision S1 30): of its health, and of its inbox as it was last read. What is not known
 * is NaN; scraping asks no database. Thread-safe.
 */
final class HandlerGauges {

    /** Completed ones only grow: they are counted as attempts. */
    private static final List<String> STATES = List.of("pending", "processing", "failed", "dead-letter");

    private final InboxStore inbox;
    private final MeterRegistry registry;
    private final String handler;
    private final List<Gauge> gauges = new ArrayList<>();
    private volatile @Nullable Read read;

    /** What was read last. */
    private record Read(Map<String, Long> byState, Waiting waiting) {}

    HandlerGauges(HandlerSetup setup, InboxStore inbox, HandlerLoop loop) {
        this.inbox = inbox;
        this.registry = setup.meters();
        this.handler = setup.handler();
        gauges.add(Gauge.builder("posthaste.partitions.stopped", loop, self -> self.stopped()
                        .size())
                .description("partitions that stand still")
                .tag("handler", handler)
                .register(registry));
        gauges.add(Gauge.builder(
                        "posthaste.deliveries.hung", loop, self -> self.hung().size())
                .description("messages whose handler has not come back for a long time")
                .tag("handler", handler)
                .register(registry));
        gauges.add(Gauge.builder("posthaste.breaker.open", setup.breaker(), breaker -> breaker.isOpen() ? 1 : 0)
                .description("1 while the handler pauses because all its messages fail alike")
                .tag("handler", handler)
                .register(registry));
        for (InboxStore.Route route : InboxStore.Route.values()) {
            gauges.add(failing(loop, route.wireName()));
            gauges.add(outgoing(route));
        }
        gauges.add(failing(loop, HandlerLoop.RETRY_READ));
        STATES.forEach(state -> gauges.add(deliveries(state)));
        gauges.add(Gauge.builder(
                        "posthaste.inbox.waiting.age",
                        this,
                        self -> self.value(known -> known.waiting().oldestSeconds()))
                .description("seconds since the oldest message that is not settled was staged")
                .tag("handler", handler)
                .register(registry));
    }

    private Gauge failing(HandlerLoop loop, String route) {
        return Gauge.builder(
                        "posthaste.outgoing.failing",
                        loop,
                        self -> self.failingRoutes().contains(route) ? 1 : 0)
                .description("1 while the route's topic does not take records, or is not read")
                .tags(Tags.of("handler", handler, "route", route))
                .register(registry);
    }

    private Gauge outgoing(InboxStore.Route route) {
        return Gauge.builder(
                        "posthaste.outgoing.waiting",
                        this,
                        self -> self.value(known -> known.waiting().outgoing().getOrDefault(route, 0L)))
                .description("kept records that are to be put on the route's topic, now or later")
                .tags(Tags.of("handler", handler, "route", route.wireName()))
                .register(registry);
    }

    private Gauge deliveries(String state) {
        return Gauge.builder(
                        "posthaste.inbox.deliveries",
                        this,
                        self -> self.value(known -> known.byState().getOrDefault(state, 0L)))
                .description("deliveries that are not completed, by state")
                .tags(Tags.of("handler", handler, "state", state))
                .register(registry);
    }

    private double value(ToDoubleFunction<Read> value) {
        Read known = read;
        return known == null ? Double.NaN : value.applyAsDouble(known);
    }

    /** Reads them anew, on a connection in auto-commit. */
    void read(Connection connection) throws SQLException {
        read = new Read(inbox.countsByState(connection), inbox.waiting(connection));
    }

    /** They are not known any more. */
    void forget() {
        read = null;
    }

    /** Takes them out of the registry. */
    void remove() {
        gauges.forEach(registry::remove);
    }
}
