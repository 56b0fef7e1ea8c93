package dev.posthaste.schemas.catalog;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

import dev.posthaste.schemas.MessageKind;
import dev.posthaste.schemas.Namespace;

/**
 * Every message type and every handler, checked against each other. Immutable and thread-safe. {@link CatalogReader}
 * reads one from a directory.
 */
public final class Catalog {

    private final String version;
    private final Map<String, EventRecord> events;
    private final Map<String, HandlerRecord> handlers;
    private final Map<String, String> excluded;

    /**
     * Makes a catalog of records that are valid each for itself.
     *
     * @param version fingerprint of the files, stored with the evidence of each batch
     * @param excluded types left out of the outbox on purpose, with the reason (provision S1 4)
     * @throws CatalogException listing everything in which the records contradict each other
     */
    public Catalog(
            String version,
            Collection<EventRecord> events,
            Collection<HandlerRecord> handlers,
            Map<String, String> excluded) {
        this.version = version;
        this.events = new TreeMap<>();
        events.forEach(event -> this.events.put(event.type(), event));
        this.handlers = new TreeMap<>();
        handlers.forEach(handler -> this.handlers.put(handler.handler(), handler));
        this.excluded = Map.copyOf(excluded);
        List<String> findings = new ArrayList<>();
        this.handlers.values().forEach(handler -> checkSubscriptions(handler, findings));
        this.events.values().forEach(event -> checkCommand(event, findings));
        this.excluded.keySet().stream()
                .filter(this.events::containsKey)
                .forEach(
                        type -> findings.add(
                                "excluded.yaml: " + type
                                        + " has an event record as well; it is either excluded from the outbox or not: remove one of the two"));
        if (!findings.isEmpty()) {
            throw new CatalogException(findings);
        }
    }

    private void checkSubscriptions(HandlerRecord handler, List<String> findings) {
        for (HandlerRecord.Subscription subscription : handler.subscriptions()) {
            String where = "handlers/" + handler.handler() + ".yaml: it subscribes to " + subscription.type();
            EventRecord event = events.get(subscription.type());
            if (event == null) {
                findings.add(where + ", which has no record; add events/" + subscription.type() + ".yaml");
                continue;
            }
            for (int wanted : subscription.versions()) {
                if (!event.versions().containsKey(wanted)) {
                    findings.add(where + " version " + wanted + ", but the record has versions "
                            + new TreeMap<>(event.versions()).keySet());
                }
            }
        }
    }

    private void checkCommand(EventRecord event, List<String> findings) {
        List<String> readers = handlers.values().stream()
                .filter(handler -> handler.subscriptions().stream()
                        .anyMatch(subscription -> subscription.type().equals(event.type())))
                .map(HandlerRecord::handler)
                .toList();
        if (event.kind() == MessageKind.JOURNEY_STEP_COMMAND && readers.size() != 1) {
            findings.add("events/" + event.type() + ".yaml: a journey-step-command has exactly one handler, but "
                    + readers.size() + " subscribe to it: " + readers);
        }
    }

    /** Fingerprint of the files it was read from. */
    public String version() {
        return version;
    }

    /** All events, by type, sorted. */
    public Collection<EventRecord> events() {
        return List.copyOf(events.values());
    }

    /** All handlers, by name, sorted. */
    public Collection<HandlerRecord> handlers() {
        return List.copyOf(handlers.values());
    }

    /** The topic of every handler in that namespace, in the order of {@link #handlers()}. */
    public List<String> topics(Namespace namespace) {
        return handlers.keySet().stream().map(namespace::topic).toList();
    }

    /** The record of a type. */
    public Optional<EventRecord> event(String type) {
        return Optional.ofNullable(events.get(type));
    }

    /** The record of a handler. */
    public Optional<HandlerRecord> handler(String name) {
        return Optional.ofNullable(handlers.get(name));
    }

    /** Why a type is left out of the outbox, if it is. */
    public Optional<String> exclusion(String type) {
        return Optional.ofNullable(excluded.get(type));
    }

    /** The handlers that read that version of a type, sorted by name; empty for a known type that nobody reads. */
    public List<HandlerRecord> handlersOf(String type, int schemaVersion) {
        return handlers.values().stream()
                .filter(handler -> handler.reads(type, schemaVersion))
                .toList();
    }
}
