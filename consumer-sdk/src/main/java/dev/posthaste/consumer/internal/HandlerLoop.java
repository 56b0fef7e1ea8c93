package dev.posthaste.consumer.internal;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import dev.posthaste.consumer.ConsumerHealth;
import dev.posthaste.consumer.HungDelivery;
import dev.posthaste.consumer.StoppedPartition;
import dev.posthaste.consumer.inbox.InboxStore;
import dev.posthaste.consumer.inbox.PostgresInbox;
import dev.posthaste.consumer.internal.outcomes.OutcomeSource;
import dev.posthaste.consumer.internal.outgoing.Outgoing;

/**
 * Runs one handler: a {@link MemberLoop} for its topic and one for its retry topic, the threads
 * {@code posthaste-<handler>-<n>} on which the strands of both run, and {@link Outgoing}. Owns and ends them all.
 * Thread-safe.
 */
public final class HandlerLoop {

    /** Among the routes that fail: the way back from the retry topic. */
    static final String RETRY_READ = "retry-read";

    private final HandlerSetup setup;
    private final ExecutorService workers;
    private final MemberLoop main;
    private final MemberLoop retried;
    private final Outgoing outgoing;
    private final Heartbeat heartbeat;
    private final Running running;
    private final @Nullable LeasedRunner leased;
    private final HandlerGauges gauges;
    private final InboxStore inbox;

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
        this.inbox = new PostgresInbox(
                setup.handler(),
                setup.worker().owner(),
                setup.worker().host(),
                setup.settings().lockTimeout(),
                setup.failurePolicy().retry().attempts());
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
        this.gauges = new HandlerGauges(setup, inbox, this);
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
            gauges.remove();
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

    /** Whether it is a live member of its topic's group; without that of the retry topic new messages flow as well. */
    public boolean isKafkaAvailable() {
        return main.isKafkaAvailable();
    }

    List<StoppedPartition> stopped() {
        return Stream.of(setup.ownership().refused().stream(), main.stopped().stream(), retried.stopped().stream())
                .flatMap(Function.identity())
                .toList();
    }

    /** Whether its rows of the inbox are its namespace's. */
    public Ownership ownership() {
        return setup.ownership();
    }

    /** How it is now. */
    public ConsumerHealth.HandlerHealth health() {
        return new ConsumerHealth.HandlerHealth(
                setup.handler(),
                main.isRunning(),
                isKafkaAvailable(),
                Optional.ofNullable(main.kafkaProblem()).orElseGet(retried::kafkaProblem),
                Stream.concat(main.partitions().stream(), retried.partitions().stream())
                        .toList(),
                stopped(),
                running.hung(),
                setup.breaker().open().orElse(null),
                failingRoutes());
    }

    /** What is told of it to those who watch. */
    public OutcomeSource outcomes() {
        return new OutcomeSource(
                setup.handler(), setup.ownership(), inbox, setup.decoder().reads());
    }

    List<String> failingRoutes() {
        Stream<String> unread = main.isRunning() && !retried.isKafkaAvailable() ? Stream.of(RETRY_READ) : Stream.of();
        return Stream.concat(outgoing.failing().stream().map(InboxStore.Route::wireName), unread)
                .toList();
    }

    /** Reads the figures of its inbox anew, on a connection in auto-commit. */
    void readFigures(Connection connection) throws SQLException {
        gauges.read(connection);
    }

    /** The figures of its inbox are not known any more. */
    void forgetFigures() {
        gauges.forget();
    }

    List<HungDelivery> hung() {
        return running.hung();
    }
}
