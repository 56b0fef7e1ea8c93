package dev.posthaste.consumer.internal;

import java.util.List;
import java.util.Objects;

import dev.posthaste.consumer.BatchHandler;
import dev.posthaste.consumer.CallHandler;
import dev.posthaste.consumer.CommandBus;
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

    /** What is done on a transaction of the inbox. */
    sealed interface Transactional<T> extends Work<T> {

        /** Runs it on messages of this kind, in order; on several of them at once only if it is a {@link Batch}. */
        Outcome run(List<Event<T>> events, Transaction tx) throws Exception;
    }

    /** One at a time. */
    record Each<T>(DecidingHandler<T> function) implements Transactional<T> {
        @Override
        public Outcome run(List<Event<T>> events, Transaction tx) throws Exception {
            return NoOutcomeException.required(function.handle(events.get(0), tx));
        }
    }

    /** Several at once. */
    record Batch<T>(BatchHandler<T> function) implements Transactional<T> {
        @Override
        public Outcome run(List<Event<T>> events, Transaction tx) throws Exception {
            function.handleAll(events, tx);
            return Outcome.done();
        }
    }

    /** One at a time, each through a scope of its own. */
    record Command<T>(CommandBus bus) implements Transactional<T> {
        @Override
        public Outcome run(List<Event<T>> events, Transaction tx) throws Exception {
            try (CommandBus.Scope scope =
                    Objects.requireNonNull(bus.open(), "the command bus opened no scope, but null")) {
                return NoOutcomeException.required(scope.send(events.get(0), tx));
            }
        }
    }

    /** A call outside any transaction, under a lease. */
    record Leased<T>(CallHandler<T> function) implements Work<T> {}
}
