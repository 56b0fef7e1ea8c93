package dev.posthaste.consumer.internal;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.stream.Stream;

import io.micrometer.core.instrument.Gauge;
import org.jspecify.annotations.Nullable;

import dev.posthaste.consumer.ConsumerHealth;
import dev.posthaste.consumer.StoppedPartition;
import dev.posthaste.consumer.inbox.InboxStore;
import dev.posthaste.consumer.inbox.PostgresInbox;
import dev.posthaste.consumer.internal.outgoing.Outgoing;

/**
 * Runs one handler: a {@link MemberLoop} for its topic and one for its retry topic, the threads
 * {@code posthaste-<handler>-<n>} on which the strands of both run, and {@link Outgoing}. Owns and ends them all.
 * Thread-safe.
 */
public final class HandlerLoop {

    private final HandlerSetup setup;
    private final ExecutorService workers;
    private final MemberLoop main;
    private final MemberLoop retried;
    private final Outgoing outgoing;
    private final Heartbeat heartbeat;
    private final Running running;
    private final @Nullable LeasedRunner leased;
    private final Gauge stoppedGauge;
    private final Gauge hungGauge;

    /**
     * Makes one; nothing runs before {@link #start()}.
     *
     * @param heartbeat renews the leases of a leased one; the caller's
     */
    public HandlerLoop(HandlerSetup setup, Heartbeat heartbeat) {
        this.setup = setup;
        this.heartbeat = heartbeat;
        this.running = new Running(setup.handler(), setup.settings().hungAfter(), setup.clock());
        this.workers = WorkerThreads.pool(setup.handler(), setup.settings().lanesMax() * setup.concurrency());
        InboxStore inbox = new PostgresInbox(
                setup.handler(),
                setup.worker().owner(),
                setup.worker().host(),
                setup.settings().lockTimeout());
        DeliveryMeters meters = new DeliveryMeters(setup.meters(), setup.handler());
        DeliveryTransaction transaction = new DeliveryTransaction(
                setup.dataSource(),
                inbox,
                setup.settings().contentionRetriesMax(),
                setup.settings().waitingMax(),
                meters,
                running,
                workers::isShutdown);
        FailureRecorder failures = new FailureRecorder(setup, inbox, meters);
        Leasing leasing = setup.leasing();
        this.leased = leasing == null
                ? null
                : new LeasedRunner(setup, leasing, inbox, failures, meters, running, workers::isShutdown);
        ChunkRunner runner = new ChunkRunner(setup, inbox, transaction, leased, failures, meters);
        this.main = new MemberLoop(setup, setup.topics().main(), inbox, runner, workers);
        this.retried = new MemberLoop(setup, setup.topics().retry(), inbox, runner, workers);
        this.outgoing = new Outgoing(setup, inbox);
        this.stoppedGauge = Gauge.builder("posthaste.partitions.stopped", this, loop -> loop.stopped()
                        .size())
                .description("Partitions that stand still")
                .tag("handler", setup.handler())
                .register(setup.meters());
        this.hungGauge = Gauge.builder(
                        "posthaste.deliveries.hung", running, now -> now.hung().size())
                .description("Messages whose handler has not come back for a long time")
                .tag("handler", setup.handler())
                .register(setup.meters());
    }

    /** Starts the threads; once only. */
    public void start() {
        Leasing leasing = setup.leasing();
        if (leased != null && leasing != null) {
            heartbeat.every(leasing.renewEvery(), leased::renew);
        }
        outgoing.start();
        main.start();
        retried.start();
    }

    /** Asks it to finish what it has in hand within the bound, and to end. Only the first call counts. */
    public void stop(Duration bound) {
        main.stop(bound);
        retried.stop(bound);
    }

    /** Waits for its end after {@link #stop}; true if all that was in hand was finished. */
    public boolean awaitEnd() throws InterruptedException {
        try {
            boolean drained = main.awaitEnd();
            return drained & retried.awaitEnd();
        } finally {
            workers.shutdownNow();
            endCalls();
            outgoing.close();
            setup.meters().remove(stoppedGauge);
            setup.meters().remove(hungGauge);
        }
    }

    /** The lanes' threads write what came of leased calls, unless that may be aborted. */
    private void endCalls() throws InterruptedException {
        if (leased != null) {
            if (!setup.settings().abortTerminalWrites()) {
                Duration bound = LeasedCall.GRACE.plus(TerminalWrites.BOUND_AFTER_DRAIN);
                var unused = workers.awaitTermination(bound.toMillis(), TimeUnit.MILLISECONDS);
            }
            leased.close();
        }
    }

    /** Whether it is a live member of its groups. */
    public boolean isKafkaAvailable() {
        return main.isKafkaAvailable() && retried.isKafkaAvailable();
    }

    private List<StoppedPartition> stopped() {
        return Stream.concat(main.stopped().stream(), retried.stopped().stream())
                .toList();
    }

    /** How it is now. */
    public ConsumerHealth.HandlerHealth health() {
        return new ConsumerHealth.HandlerHealth(
                setup.handler(), main.isRunning(), isKafkaAvailable(), main.partitions(), stopped(), running.hung());
    }
}
