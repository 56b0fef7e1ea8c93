package dev.posthaste.consumer.internal;

import java.util.List;

import dev.posthaste.consumer.BatchHandler;
import dev.posthaste.consumer.DecidingHandler;
import dev.posthaste.consumer.Event;
import dev.posthaste.consumer.Outcome;
import dev.posthaste.consumer.Transaction;

/**
 * What is done with messages that were read into one kind of payload. Thread-safe if its function is.
 *
 * @param <T> that kind of payload
 */
public sealed interface Work<T> {

    /** One at a time. */
    record Each<T>(DecidingHandler<T> function) implements Work<T> {}

    /** Several at once. */
    record Batch<T>(BatchHandler<T> function) implements Work<T> {}

    /** Runs it on messages of this kind; in order. */
    default Outcome run(List<Event<T>> events, Transaction tx) throws Exception {
        if (this instanceof Batch<T> batch) {
            batch.function().handleAll(events, tx);
            return Outcome.done();
        }
        return ((Each<T>) this).function().handle(events.get(0), tx);
    }
}
