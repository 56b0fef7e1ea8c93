package dev.posthaste.consumer.internal.outgoing;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.function.Supplier;

import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

import dev.posthaste.consumer.inbox.DueRecord;
import dev.posthaste.consumer.inbox.InboxStore;

/**
 * Puts records on their topic and says which of them are there. The producer is made at the first record. Not
 * thread-safe.
 */
final class Emitter implements AutoCloseable {

    private static final Duration CLOSE_BOUND = Duration.ofSeconds(5);

    private final Supplier<Producer<byte[], byte[]>> newProducer;
    private final InboxStore.Route route;
    private final Emissions emissions;
    private @Nullable Producer<byte[], byte[]> producer;

    Emitter(Supplier<Producer<byte[], byte[]>> newProducer, InboxStore.Route route, Emissions emissions) {
        this.newProducer = newProducer;
        this.route = route;
        this.emissions = emissions;
    }

    /**
     * What became of records.
     *
     * @param emitted those that the broker has
     * @param failed the others, with the cause
     */
    record Result(List<DueRecord> emitted, Map<DueRecord, Throwable> failed) {}

    Result emit(List<DueRecord> records) throws InterruptedException {
        Result result = new Result(new ArrayList<>(), new LinkedHashMap<>());
        Map<DueRecord, Future<?>> sent = new LinkedHashMap<>();
        Throwable unreachable = null;
        for (DueRecord record : records) {
            if (unreachable != null) {
                result.failed().put(record, unreachable);
                continue;
            }
            try {
                Future<?> future = producer().send(emissions.of(record, route));
                sent.put(record, future);
                unreachable = future.isDone() ? timeout(future) : null;
            } catch (InterruptException e) {
                throw new InterruptedException();
            } catch (KafkaException e) {
                result.failed().put(record, e);
            }
        }
        for (Map.Entry<DueRecord, Future<?>> one : sent.entrySet()) {
            Throwable failure = failure(one.getValue());
            if (failure == null) {
                result.emitted().add(one.getKey());
            } else {
                result.failed().put(one.getKey(), failure);
            }
        }
        if (!result.failed().isEmpty()) {
            close(); // an idempotent producer may be of no more use after a failure; a new one is
        }
        return result;
    }

    /** The topic is not there, or Kafka is not: waiting for it again for each record would take as long each time. */
    private static @Nullable Throwable timeout(Future<?> done) throws InterruptedException {
        Throwable failure = failure(done);
        return failure instanceof TimeoutException ? failure : null;
    }

    private static @Nullable Throwable failure(Future<?> future) throws InterruptedException {
        try {
            future.get();
            return null;
        } catch (ExecutionException e) {
            return e.getCause() == null ? e : e.getCause();
        }
    }

    private Producer<byte[], byte[]> producer() {
        Producer<byte[], byte[]> current = producer;
        if (current == null) {
            current = newProducer.get();
            producer = current;
        }
        return current;
    }

    @Override
    public void close() {
        Producer<byte[], byte[]> current = producer;
        producer = null;
        if (current != null) {
            current.close(CLOSE_BOUND);
        }
    }
}
