package dev.posthaste.consumer.internal;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import dev.posthaste.schemas.MessageKind;
import dev.posthaste.schemas.catalog.Catalog;
import dev.posthaste.schemas.catalog.DeliveryMode;
import dev.posthaste.schemas.catalog.HandlerRecord;

/** Refuses a handler whose code is not what its catalog record says (provision S1 3). */
public final class CatalogCheck {

    private CatalogCheck() {}

    /**
     * Checks one handler.
     *
     * @throws IllegalArgumentException naming what the code has and what the record has
     */
    public static void accept(Catalog catalog, String handler, List<Route<?>> routes, HandlerOptions options) {
        HandlerRecord record = catalog.handler(handler)
                .orElseThrow(() -> new IllegalArgumentException("handler " + handler
                        + " has no record in the catalog; add handlers/" + handler + ".yaml with its delivery record"));
        Set<String> inCode = new TreeSet<>();
        Set<String> twice = new HashSet<>();
        routes.forEach(route -> {
            if (!inCode.add(route.label())) {
                twice.add(route.label());
            }
        });
        if (!twice.isEmpty()) {
            throw new IllegalArgumentException(
                    "handler " + handler + " has on(...) twice for " + twice + "; keep one of each");
        }
        Set<String> inCatalog = new TreeSet<>();
        record.subscriptions().forEach(subscription -> subscription
                .versions()
                .forEach(version -> inCatalog.add(subscription.type() + " v" + version)));
        if (!inCode.equals(inCatalog)) {
            throw new IllegalArgumentException(
                    "handler " + handler + " reads " + inCode + " in code, but subscribes to " + inCatalog
                            + " in handlers/" + handler + ".yaml; make them equal");
        }
        options.requireWithin(record);
        for (Route<?> route : routes) {
            requireMode(record, route);
            requireBus(catalog, record, route);
        }
    }

    private static void requireMode(HandlerRecord record, Route<?> route) {
        boolean leased = record.mode() == DeliveryMode.LEASED;
        if (leased != (route.work() instanceof Work.Leased)) {
            throw new IllegalArgumentException("handler " + record.handler() + " is " + record.mode() + " in handlers/"
                    + record.handler() + ".yaml, but has "
                    + (leased ? "a function on a transaction" : "call(...)") + " for " + route.label() + " in code; "
                    + (leased ? "give it call(...)" : "give it handle(...)") + ", or change the mode in the record");
        }
    }

    private static void requireBus(Catalog catalog, HandlerRecord record, Route<?> route) {
        boolean command = catalog.event(route.type())
                .filter(event -> event.kind() == MessageKind.JOURNEY_STEP_COMMAND)
                .isPresent();
        if (command && !(route.work() instanceof Work.Command)) {
            throw new IllegalArgumentException("handler " + record.handler() + " reads " + route.label()
                    + ", a journey-step-command, which goes through a command bus in a scope of its own; give it"
                    + " through(bus)" + (record.mode() == DeliveryMode.LEASED ? " and mode: transactional" : ""));
        }
    }
}
