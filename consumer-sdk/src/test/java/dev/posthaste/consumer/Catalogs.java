package dev.posthaste.consumer;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import com.fasterxml.jackson.databind.node.BooleanNode;

import dev.posthaste.schemas.MessageKind;
import dev.posthaste.schemas.catalog.Catalog;
import dev.posthaste.schemas.catalog.DeliveryMode;
import dev.posthaste.schemas.catalog.DeliveryOrder;
import dev.posthaste.schemas.catalog.DurableDelivery;
import dev.posthaste.schemas.catalog.EventRecord;
import dev.posthaste.schemas.catalog.HandlerRecord;
import dev.posthaste.schemas.catalog.OnDeadLetter;

/** Catalogs for tests. */
final class Catalogs {

    private static final DurableDelivery DELIVERY = new DurableDelivery(
            "effect-once",
            "the test's database",
            "skipped",
            new DurableDelivery.Retry(3, Duration.ofMillis(200), Duration.ofSeconds(1), Duration.ofMinutes(10)),
            "docs/runbooks/none.md",
            Duration.ofMinutes(5),
            new DurableDelivery.Alerts(Duration.ofMinutes(1), 1));

    private Catalogs() {}

    /** Handlers that read the first version of a loan. */
    static Catalog ofLoans(String... handlers) {
        return of(
                List.of(event(Loan.TYPE, 1)),
                Arrays.stream(handlers)
                        .map(handler -> handler(handler, Map.of(Loan.TYPE, Set.of(1))))
                        .toList());
    }

    static Catalog of(List<EventRecord> events, List<HandlerRecord> handlers) {
        return new Catalog("test", events, handlers, Map.of());
    }

    static EventRecord event(String type, int versions) {
        return new EventRecord(
                type,
                MessageKind.INTEGRATION_EVENT,
                "outbound",
                "internal",
                "lending",
                IntStream.rangeClosed(1, versions)
                        .boxed()
                        .collect(Collectors.toMap(
                                Function.identity(),
                                version -> new EventRecord.EventVersion(BooleanNode.TRUE, Map.of()))));
    }

    static HandlerRecord handler(String handler, Map<String, Set<Integer>> reads) {
        return handler(handler, reads, DeliveryMode.TRANSACTIONAL);
    }

    /** One handler with order per key. */
    static Catalog perKey(String handler, OnDeadLetter onDeadLetter) {
        return perKey(handler, onDeadLetter, DELIVERY.retry().attempts());
    }

    /** The same with so many attempts. */
    static Catalog perKey(String handler, OnDeadLetter onDeadLetter, int attempts) {
        DurableDelivery delivery = new DurableDelivery(
                DELIVERY.guarantee(),
                DELIVERY.boundary(),
                DELIVERY.duplicates(),
                new DurableDelivery.Retry(
                        attempts, Duration.ofMillis(100), Duration.ofMillis(300), Duration.ofMinutes(10)),
                DELIVERY.runbook(),
                DELIVERY.target(),
                DELIVERY.alerts());
        return of(
                List.of(event(Loan.TYPE, 1)),
                List.of(new HandlerRecord(
                        handler,
                        "lending",
                        List.of(new HandlerRecord.Subscription(Loan.TYPE, Set.of(1))),
                        DeliveryMode.TRANSACTIONAL,
                        DeliveryOrder.PER_KEY,
                        onDeadLetter,
                        delivery)));
    }

    static HandlerRecord handler(String handler, Map<String, Set<Integer>> reads, DeliveryMode mode) {
        return new HandlerRecord(
                handler,
                "lending",
                reads.entrySet().stream()
                        .map(entry -> new HandlerRecord.Subscription(entry.getKey(), entry.getValue()))
                        .toList(),
                mode,
                DeliveryOrder.UNORDERED,
                OnDeadLetter.PASS,
                DELIVERY);
    }
}
