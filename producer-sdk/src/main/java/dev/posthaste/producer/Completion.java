package dev.posthaste.producer;

import java.security.SecureRandom;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.random.RandomGenerator;

import dev.posthaste.schemas.MessageHeaders;
import dev.posthaste.schemas.OutboxMessage;

/** Fills in what a message lacks. Immutable but for the ids' counter; thread-safe if its random generator is. */
final class Completion {

    /** Shared by every outbox of the process: its ids grow across all of them. */
    private static final Completion OF_THIS_PROCESS = of(Clock.systemUTC(), new SecureRandom());

    private final Clock clock;
    private final UuidV7 ids;
    private final TraceContext traces;

    private Completion(Clock clock, UuidV7 ids, TraceContext traces) {
        this.clock = clock;
        this.ids = ids;
        this.traces = traces;
    }

    static Completion ofThisProcess() {
        return OF_THIS_PROCESS;
    }

    static Completion of(Clock clock, RandomGenerator random) {
        return new Completion(clock, new UuidV7(clock, random), new TraceContext(random));
    }

    /** Throws IllegalArgumentException if the headers become too large. */
    OutboxRow complete(OutboxMessage message) {
        Instant occurredAt = message.occurredAt() == null ? clock.instant() : message.occurredAt();
        return new OutboxRow(
                message,
                message.id() == null ? ids.next() : message.id(),
                // PostgreSQL's precision; the driver would round up into the future.
                occurredAt.truncatedTo(ChronoUnit.MICROS),
                HeadersJson.write(withTrace(message.headers())));
    }

    private Map<String, String> withTrace(Map<String, String> headers) {
        if (headers.containsKey(MessageHeaders.TRACEPARENT)) {
            return headers;
        }
        Map<String, String> all = new LinkedHashMap<>(headers);
        // A trace state belongs to its trace: one without the other is replaced.
        all.remove(MessageHeaders.TRACESTATE);
        all.putAll(traces.current());
        return all;
    }
}
