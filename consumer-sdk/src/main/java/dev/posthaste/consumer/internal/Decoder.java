package dev.posthaste.consumer.internal;

import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

import com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

import dev.posthaste.consumer.Event;
import dev.posthaste.consumer.inbox.Arrival;
import dev.posthaste.consumer.inbox.BusinessKey;
import dev.posthaste.consumer.inbox.DeliveryId;

/** Reads records with the routes of one handler. Thread-safe. */
public final class Decoder {

    private final Map<String, Route<?>> routes;
    private final ObjectMapper json;
    private final Arrivals arrivals;

    /** Makes one; no two routes may be for one version of a type. */
    public Decoder(List<Route<?>> routes, ObjectMapper json, Arrivals arrivals) {
        this.routes = routes.stream().collect(Collectors.toUnmodifiableMap(Route::label, Function.identity()));
        this.json = json;
        this.arrivals = arrivals;
    }

    /** The versions of each type that it reads. */
    Map<String, SortedSet<Integer>> reads() {
        return routes.values().stream()
                .collect(Collectors.groupingBy(
                        Route::type, Collectors.mapping(Route::schemaVersion, Collectors.toCollection(TreeSet::new))));
    }

    Task<?> decode(ConsumerRecord<byte[], byte[]> record) throws UnreadableException {
        Envelope envelope = Envelope.of(record.headers());
        Route<?> route = routes.get(envelope.type() + " v" + envelope.schemaVersion());
        if (route == null) {
            throw new UnreadableException(
                    UnreadableException.NO_READER,
                    "it is " + envelope.type() + " v" + envelope.schemaVersion() + ", but this handler reads "
                            + new TreeMap<>(routes).keySet()
                            + "; deploy a reader of that version before anything writes it",
                    null);
        }
        return read(record, envelope, route);
    }

    private <T> Task<T> read(ConsumerRecord<byte[], byte[]> record, Envelope envelope, Route<T> route)
            throws UnreadableException {
        byte[] value = record.value();
        if (value == null) {
            throw new UnreadableException(UnreadableException.UNREADABLE, "it has no value", null);
        }
        T payload;
        try {
            payload = route.reader().read(value, envelope.contentType(), json);
        } catch (Exception | LinkageError e) {
            throw new UnreadableException(
                    UnreadableException.UNREADABLE,
                    "its payload cannot be read as " + route.label() + ": " + ErrorSummary.of(e, value),
                    e);
        }
        Event<T> event = new Event<>(
                envelope.id(),
                envelope.kind(),
                envelope.type(),
                envelope.schemaVersion(),
                envelope.key(),
                envelope.tenant(),
                envelope.occurredAt(),
                envelope.stagedAt(),
                envelope.userHeaders(),
                payload);
        Arrival arrival = arrivals.of(record, envelope);
        return new Task<>(event, route.work(), arrival, businessKey(route, event, arrival.id(), value), record);
    }

    /** No other attempt would make another key of the same message. */
    private static <T> @Nullable BusinessKey businessKey(Route<T> route, Event<T> event, DeliveryId id, byte[] value)
            throws UnreadableException {
        if (route.businessKey() == null) {
            return null;
        }
        String key;
        try {
            key = route.businessKey().apply(event);
        } catch (RuntimeException | LinkageError e) {
            throw new UnreadableException(
                    UnreadableException.BAD_KEY,
                    "the function given to idempotentBy(...) has failed: " + ErrorSummary.of(e, value),
                    e);
        }
        if (key == null) {
            throw new UnreadableException(
                    UnreadableException.BAD_KEY,
                    "its idempotency key is null: the function given to idempotentBy(...) returned nothing",
                    null);
        }
        try {
            return new BusinessKey(id, key, Sha256.of(value));
        } catch (IllegalArgumentException e) {
            throw new UnreadableException(UnreadableException.BAD_KEY, String.valueOf(e.getMessage()), e);
        }
    }
}
