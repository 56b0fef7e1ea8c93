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

import dev.posthaste.consumer.Event;

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
        return new Task<>(event, route.work(), arrivals.of(record, envelope), record);
    }
}
