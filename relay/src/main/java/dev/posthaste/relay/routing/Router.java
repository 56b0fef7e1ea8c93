package dev.posthaste.relay.routing;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;

import dev.posthaste.relay.source.OutboxRow;
import dev.posthaste.schemas.MessageHeaders;
import dev.posthaste.schemas.Namespace;
import dev.posthaste.schemas.catalog.Catalog;
import dev.posthaste.schemas.catalog.DeliveryOrder;
import dev.posthaste.schemas.catalog.EventRecord;
import dev.posthaste.schemas.catalog.HandlerRecord;

/**
 * Finds the topics of a message in the catalog and writes its headers: a CloudEvent 1.0 in binary mode. Confined to the
 * thread of the source, for its cache.
 */
public final class Router {

    private static final TypeReference<Map<String, String>> STRINGS = new TypeReference<>() {};

    private final Namespace namespace;
    private final Catalog catalog;
    private final ClosedTopics closed;
    private final ObjectMapper json = new ObjectMapper();
    /** Bounded by the catalog: one entry per known type and version. */
    private final Map<TypeVersion, Route> routes = new HashMap<>();

    private record TypeVersion(String type, int version) {}

    private record Route(
            EventRecord event, List<String> topics, Set<String> perKey, String source, String dataSchema) {}

    /** Routes by that catalog, to topics that are all open. */
    public Router(Namespace namespace, Catalog catalog) {
        this(namespace, catalog, ClosedTopics.NONE);
    }

    /** Routes by that catalog, around the topics that are closed. */
    public Router(Namespace namespace, Catalog catalog, ClosedTopics closed) {
        this.namespace = namespace;
        this.catalog = catalog;
        this.closed = closed;
    }

    /**
     * Routes a message.
     *
     * @throws UnroutableException if it lacks what it must have, its type, version or kind is not the catalog's, or its
     *     headers cannot be read
     */
    public RoutedMessage route(OutboxRow row) throws UnroutableException {
        Route route = find(row);
        if (!row.missing().isEmpty()) {
            throw unroutable(row, route, Unpublishable.Cause.MISSING_VALUE, missing(row));
        }
        if (!route.event().kind().wireName().equals(row.kind())) {
            throw unroutable(
                    row,
                    route,
                    Unpublishable.Cause.WRONG_KIND,
                    "its kind is " + row.kind() + ", but the catalog has " + row.type() + " as "
                            + route.event().kind().wireName());
        }
        return new RoutedMessage(row, route.topics(), List.of(), key(row), headers(row, route), false);
    }

    /**
     * What goes out in the place of a message that cannot be routed: markers where the order is per key, and no copy.
     */
    public RoutedMessage markersOnly(OutboxRow row) {
        Route route = routes.get(new TypeVersion(row.type(), row.schemaVersion()));
        List<String> markers = route == null
                ? List.of()
                : route.topics().stream().filter(route.perKey()::contains).toList();
        return new RoutedMessage(row, List.of(), markers, key(row), Map.of(), true);
    }

    /**
     * The message without its copy for a handler that it is quarantined for; a marker instead where the order is per
     * key.
     */
    public RoutedMessage withhold(RoutedMessage message, String topic) {
        Route route =
                routes.get(new TypeVersion(message.row().type(), message.row().schemaVersion()));
        return message.without(topic, route != null && route.perKey().contains(topic));
    }

    /** What keeps a message from those of its handlers whose topics are closed; mostly nothing. */
    public List<Unpublishable> closedTo(RoutedMessage message) {
        List<Unpublishable> faults = List.of();
        for (String topic : message.topics()) {
            Unpublishable.Cause cause = closed.why(topic);
            if (cause != null) {
                faults = faults.isEmpty() ? new ArrayList<>() : faults;
                faults.add(new Unpublishable(message.row().id(), handlerOf(topic), cause, closedText(topic, cause)));
            }
        }
        return faults;
    }

    private static String closedText(String topic, Unpublishable.Cause cause) {
        return cause == Unpublishable.Cause.TOPIC_MISSING
                ? "topic " + topic + " does not exist; run posthaste init"
                : "the relay may not write to topic " + topic + "; allow it WRITE and DESCRIBE there";
    }

    /** The message without anything for closed topics, no marker either: nothing can stand in its place there. */
    public RoutedMessage withoutClosed(RoutedMessage message) {
        RoutedMessage open = message;
        for (String topic : message.topics()) {
            open = closed.why(topic) == null ? open : open.without(topic, false);
        }
        for (String topic : message.markers()) {
            open = closed.why(topic) == null ? open : open.withoutMarker(topic);
        }
        return open;
    }

    /** The topic of a handler. */
    public String topic(String handler) {
        return namespace.topic(handler);
    }

    /** The handler of a topic. */
    public String handlerOf(String topic) {
        return namespace.handlerOf(topic);
    }

    private static String key(OutboxRow row) {
        return row.key() != null ? row.key() : row.id().toString();
    }

    private static String missing(OutboxRow row) {
        return "it has no " + String.join(", no ", row.missing()) + ", and the table should have refused it";
    }

    private Route find(OutboxRow row) throws UnroutableException {
        if (row.missing().contains("type") || row.missing().contains("schema_version")) {
            throw new UnroutableException(
                    row.id(), List.of(Unpublishable.EVERY_HANDLER), Unpublishable.Cause.MISSING_VALUE, missing(row));
        }
        TypeVersion wanted = new TypeVersion(row.type(), row.schemaVersion());
        Route known = routes.get(wanted);
        if (known != null) {
            return known;
        }
        EventRecord event = catalog.event(row.type()).orElse(null);
        if (event == null) {
            throw new UnroutableException(
                    row.id(),
                    List.of(Unpublishable.EVERY_HANDLER),
                    Unpublishable.Cause.UNKNOWN_TYPE,
                    "its type " + row.type() + " is not in the catalog; add events/" + row.type() + ".yaml");
        }
        if (!event.versions().containsKey(row.schemaVersion())) {
            throw new UnroutableException(
                    row.id(),
                    List.of(Unpublishable.EVERY_HANDLER),
                    Unpublishable.Cause.UNKNOWN_VERSION,
                    "version " + row.schemaVersion() + " of " + row.type() + " is not in the catalog, which has "
                            + new TreeSet<>(event.versions().keySet()));
        }
        Route route = route(event, row.schemaVersion());
        routes.put(wanted, route);
        return route;
    }

    private Route route(EventRecord event, int version) {
        List<HandlerRecord> handlers = catalog.handlersOf(event.type(), version);
        return new Route(
                event,
                handlers.stream()
                        .map(handler -> namespace.topic(handler.handler()))
                        .toList(),
                handlers.stream()
                        .filter(handler -> handler.order() == DeliveryOrder.PER_KEY)
                        .map(handler -> namespace.topic(handler.handler()))
                        .collect(Collectors.toUnmodifiableSet()),
                "/" + namespace.name() + "/" + event.owner(),
                "urn:posthaste:" + event.type() + ":" + version);
    }

    private UnroutableException unroutable(OutboxRow row, Route route, Unpublishable.Cause cause, String error) {
        List<String> handlers = route.topics().isEmpty()
                ? List.of(Unpublishable.EVERY_HANDLER)
                : route.topics().stream().map(namespace::handlerOf).toList();
        return new UnroutableException(row.id(), handlers, cause, error);
    }

    private Map<String, String> headers(OutboxRow row, Route route) throws UnroutableException {
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put(MessageHeaders.CE_SPECVERSION, "1.0");
        headers.put(MessageHeaders.CE_ID, row.id().toString());
        headers.put(MessageHeaders.CE_TYPE, row.type());
        headers.put(MessageHeaders.CE_SOURCE, route.source());
        headers.put(MessageHeaders.CE_TIME, RoutedMessage.micros(row.occurredAt()));
        if (row.key() != null) {
            headers.put(MessageHeaders.CE_SUBJECT, row.key());
        }
        headers.put(MessageHeaders.CE_DATASCHEMA, route.dataSchema());
        headers.put(MessageHeaders.CONTENT_TYPE, row.contentType());
        headers.put(MessageHeaders.KIND, row.kind());
        headers.put(MessageHeaders.SCHEMA_VERSION, Integer.toString(row.schemaVersion()));
        if (!row.tenant().isEmpty()) {
            headers.put(MessageHeaders.TENANT, row.tenant());
        }
        headers.put(MessageHeaders.STAGED_AT, RoutedMessage.micros(row.createdAt()));
        if (row.headers() != null) {
            headers.putAll(userHeaders(row, route));
        }
        return headers;
    }

    private Map<String, String> userHeaders(OutboxRow row, Route route) throws UnroutableException {
        Map<String, String> headers;
        try {
            headers = json.readValue(row.headers(), STRINGS);
        } catch (JsonProcessingException e) {
            throw unroutable(
                    row, route, Unpublishable.Cause.UNREADABLE_HEADERS, "its headers are not a JSON object of strings");
        }
        for (Map.Entry<String, String> header : headers.entrySet()) {
            if (header.getValue() == null || MessageHeaders.isReserved(header.getKey())) {
                throw unroutable(
                        row,
                        route,
                        Unpublishable.Cause.UNREADABLE_HEADERS,
                        "its header \"" + header.getKey() + "\" is null or uses a name that is Posthaste's own");
            }
        }
        return headers;
    }
}
