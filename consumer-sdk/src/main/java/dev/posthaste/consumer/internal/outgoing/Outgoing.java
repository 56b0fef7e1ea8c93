package dev.posthaste.consumer.internal.outgoing;

import java.util.List;

import org.apache.kafka.clients.producer.KafkaProducer;

import dev.posthaste.consumer.inbox.InboxStore;
import dev.posthaste.consumer.internal.HandlerSetup;

/**
 * Emits what one handler keeps: retries when they are due, and dead letters. Each route has a thread and a producer of
 * its own, so that a dead-letter topic that takes nothing holds up no retry. Owns and ends both. Thread-safe.
 */
public final class Outgoing implements AutoCloseable {

    private final List<Poller> pollers;

    /** Makes one; nothing runs before {@link #start()}. */
    public Outgoing(HandlerSetup setup, InboxStore inbox) {
        Emissions emissions = new Emissions(setup.topics());
        this.pollers = List.of(
                poller(setup, inbox, InboxStore.Route.RETRY, emissions),
                poller(setup, inbox, InboxStore.Route.DEAD_LETTER, emissions));
    }

    private static Poller poller(HandlerSetup setup, InboxStore inbox, InboxStore.Route route, Emissions emissions) {
        return new Poller(
                setup,
                inbox,
                route,
                new Emitter(() -> new KafkaProducer<>(setup.kafka().producer()), route, emissions));
    }

    /** Starts the threads; once only. */
    public void start() {
        pollers.forEach(Poller::start);
    }

    /** The routes whose topic does not take records now. */
    public List<InboxStore.Route> failing() {
        return pollers.stream()
                .filter(poller -> !poller.isEmitting())
                .map(Poller::route)
                .toList();
    }

    /** Ends them: what they have in hand is emitted or comes again. */
    @Override
    public void close() {
        pollers.forEach(Poller::stop);
        pollers.forEach(Poller::awaitEnd);
    }
}
