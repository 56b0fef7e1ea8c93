package dev.posthaste.consumer.internal;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.posthaste.consumer.inbox.Orphans;

/**
 * Names and counts what somebody has removed one half of: it would stand for ever, and nobody would hear of it.
 * Thread-safe.
 */
final class OrphanWatch {

    private static final Logger LOG = LoggerFactory.getLogger(OrphanWatch.class);
    private static final int NAMED_MAX = 5;

    private final Map<Orphans.Kind, AtomicLong> counts = new EnumMap<>(Orphans.Kind.class);
    private final List<Gauge> gauges;
    private final MeterRegistry registry;

    OrphanWatch(MeterRegistry registry) {
        this.registry = registry;
        this.gauges = List.of(gauge(Orphans.Kind.DELIVERY, "delivery"), gauge(Orphans.Kind.RECORD, "record"));
    }

    private Gauge gauge(Orphans.Kind kind, String label) {
        AtomicLong count = new AtomicLong();
        counts.put(kind, count);
        return Gauge.builder("posthaste.inbox.orphans", count, AtomicLong::get)
                .description("rows whose counterpart somebody has removed")
                .tag("kind", label)
                .strongReference(true)
                .register(registry);
    }

    /** Looks for those of all these handlers. */
    void look(Connection connection, List<String> handlers) throws SQLException {
        for (Orphans.Kind kind : Orphans.Kind.values()) {
            long all = 0;
            for (String handler : handlers) {
                List<UUID> found = Orphans.find(connection, handler, kind);
                all += found.size();
                tell(handler, kind, found);
            }
            counts.getOrDefault(kind, new AtomicLong()).set(all);
        }
    }

    private static void tell(String handler, Orphans.Kind kind, List<UUID> found) {
        if (found.isEmpty()) {
            return;
        }
        LOG.error(
                "handler {}: {}{} messages, {} among them, {}",
                handler,
                found.size() < Orphans.FOUND_MAX ? "" : "at least ",
                found.size(),
                found.stream().limit(NAMED_MAX).toList(),
                switch (kind) {
                    case DELIVERY ->
                        "wait or are dead letters in inbox.delivery, but somebody has removed their records from"
                                + " inbox.outgoing: they are never tried again. To have one run, delete its delivery and"
                                + " repair the message at the relay; to give it up, set its state to 'discarded'";
                    case RECORD ->
                        "have a record in inbox.outgoing, but somebody has removed their deliveries from inbox.delivery:"
                                + " it is never emitted, and later messages of its key may wait behind it. Delete it"
                                + " there; to have the message run, repair it at the relay afterwards";
                });
    }

    void remove() {
        gauges.forEach(registry::remove);
    }
}
