package dev.posthaste.producer;

import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

import dev.posthaste.schemas.OutboxMessage;
import dev.posthaste.schemas.catalog.Catalog;
import dev.posthaste.schemas.catalog.EventRecord;

/** Refuses what the catalog does not have (provisions S1 2 and 4). */
record CatalogCheck(Catalog catalog) {

    /** Throws IllegalArgumentException naming the type, what is wrong with it and what to do. */
    void accept(OutboxMessage message) {
        String type = message.type();
        Optional<String> exclusion = catalog.exclusion(type);
        if (exclusion.isPresent()) {
            throw new IllegalArgumentException("type " + type + " is excluded from the outbox (" + exclusion.get()
                    + "); run it with AfterCommit.run, or take it out of excluded.yaml");
        }
        EventRecord event = catalog.event(type)
                .orElseThrow(() -> new IllegalArgumentException(
                        "type " + type + " has no record in the catalog; add events/" + type + ".yaml"));
        Map<Integer, EventRecord.EventVersion> versions = event.versions();
        if (!versions.containsKey(message.schemaVersion())) {
            throw new IllegalArgumentException("type " + type + " has no version " + message.schemaVersion()
                    + " in the catalog, only " + new TreeSet<>(versions.keySet()) + "; add it to events/" + type
                    + ".yaml");
        }
        if (event.kind() != message.kind()) {
            throw new IllegalArgumentException("type " + type + " is of kind "
                    + event.kind().wireName() + " in the catalog, but the message is of kind "
                    + message.kind().wireName() + "; build it with the other method of OutboxMessage");
        }
    }
}
