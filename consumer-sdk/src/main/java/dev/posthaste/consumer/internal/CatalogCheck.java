package dev.posthaste.consumer.internal;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

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
        if (record.mode() != DeliveryMode.TRANSACTIONAL) {
            throw new IllegalArgumentException("handler " + handler
                    + " is leased in the catalog, but this version of the SDK runs transactional handlers only");
        }
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
    }
}
