package dev.posthaste.consumer.internal;

import java.time.Clock;
import java.util.Map;
import javax.sql.DataSource;

import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;

import dev.posthaste.consumer.ConsumerSettings;
import dev.posthaste.schemas.catalog.OnDeadLetter;

/**
 * All that one handler's loop is made of.
 *
 * @param handler its name
 * @param ownership whether its rows of the inbox are its namespace's
 * @param topics its topics; the first is also the id of its group
 * @param decoder reads its records
 * @param arrivals tells how the inbox knows them
 * @param failurePolicy what becomes of messages that fail
 * @param perKey whether it has order per key
 * @param onDeadLetter what a dead letter does to its key
 * @param leasing the times of a leased handler; null for a transactional one
 * @param concurrency most chunks of one partition at a time
 * @param kafka settings of its Kafka clients
 * @param dataSource the database with the inbox
 * @param inboxGate closed while that database is away; shared by all handlers of a consumer
 * @param breaker open while it pauses in an outage of something it needs
 * @param settings how it is run
 * @param meters where it is counted
 * @param worker names this process in claims and journals
 * @param clock what time it is
 */
public record HandlerSetup(
        String handler,
        Ownership ownership,
        Topics topics,
        Decoder decoder,
        Arrivals arrivals,
        FailurePolicy failurePolicy,
        boolean perKey,
        OnDeadLetter onDeadLetter,
        @Nullable Leasing leasing,
        int concurrency,
        Clients kafka,
        DataSource dataSource,
        StoreGate inboxGate,
        Breaker breaker,
        ConsumerSettings settings,
        MeterRegistry meters,
        Worker worker,
        Clock clock) {

    /** Most records of one chunk: a leased one is finished by itself, so that its offset is not held up by others. */
    int chunkMax() {
        return leasing == null ? settings.chunkMax() : 1;
    }

    /** The three topics of a handler. */
    public record Topics(String main, String retry, String deadLetter) {}

    /** Settings of its consumer and its producer. */
    public record Clients(Map<String, Object> consumer, Map<String, Object> producer) {
        /** Copies both. */
        public Clients {
            consumer = Map.copyOf(consumer);
            producer = Map.copyOf(producer);
        }
    }
}
