package dev.posthaste.consumer.internal;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import dev.posthaste.consumer.ConsumerHealth;
import dev.posthaste.consumer.StoppedPartition;
import dev.posthaste.consumer.inbox.InboxStore;
import dev.posthaste.consumer.inbox.PostgresInbox;
import dev.posthaste.consumer.internal.outcomes.OutcomeSource;
import dev.posthaste.consumer.internal.outgoing.Outgoing;

/**
 * Runs one handler: a {@link MemberLoop} for its topic and one for its retry topic, the threads
 * {@code posthaste-<handler>-<n>} on which the lanes of both run, and {@link Outgoing}. Owns and ends them all.
 * Thread-safe.
 */
public final class HandlerLoop {

    private static final long IDLE_THREAD_SECONDS = 30;

    private final HandlerSetup setup;
    private final ExecutorService workers;
    private final MemberLoop main;
    private final MemberLoop retried;
    private final Outgoing outgoing;
    private final HandlerGauges gauges;
    private final InboxStore inbox;

    /** Makes one; nothing runs before {@link #start()}. */
    public HandlerLoop(HandlerSetup setup) {
        this.setup = setup;
        this.workers = newWorkers();
        this.inbox = new PostgresInbox(
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
                workers::isShutdown);
        ChunkRunner runner =
                new ChunkRunner(setup, inbox, transaction, new FailureRecorder(setup, inbox, meters), meters);
        this.main = new MemberLoop(setup, setup.topics().main(), inbox, runner, workers);
        this.retried = new MemberLoop(setup, setup.topics().retry(), inbox, runner, workers);
        this.outgoing = new Outgoing(setup, inbox);
        this.gauges = new HandlerGauges(setup, inbox, this);
    }

    private ExecutorService newWorkers() {
        int lanesMax = setup.settings().lanesMax();
        AtomicInteger number = new AtomicInteger();
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                lanesMax,
                lanesMax,
                IDLE_THREAD_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(), // a lane waits here once at most
                task -> new Thread(task, "posthaste-" + setup.handler() + "-" + number.incrementAndGet()));
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    /** Starts the threads; once only. */
    public void start() {
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
            outgoing.close();
            gauges.remove();
        }
    }

    /** Whether it is a live member of its groups. */
    public boolean isKafkaAvailable() {
        return main.isKafkaAvailable() && retried.isKafkaAvailable();
    }

    List<StoppedPartition> stopped() {
        return Stream.concat(main.stopped().stream(), retried.stopped().stream())
                .toList();
    }

    /** How it is now. */
    public ConsumerHealth.HandlerHealth health() {
        return new ConsumerHealth.HandlerHealth(
                setup.handler(),
                main.isRunning(),
                isKafkaAvailable(),
                Stream.concat(main.partitions().stream(), retried.partitions().stream())
                        .toList(),
                stopped(),
                setup.breaker().open().orElse(null),
                failingRoutes());
    }

    /** What is told of it to those who watch. */
    public OutcomeSource outcomes() {
        return new OutcomeSource(setup.handler(), inbox, setup.decoder().reads());
    }

    List<String> failingRoutes() {
        return outgoing.failing().stream().map(InboxStore.Route::wireName).toList();
    }

    /** Reads the figures of its inbox anew, on a connection in auto-commit. */
    void readFigures(Connection connection) throws SQLException {
        gauges.read(connection);
    }

    /** The figures of its inbox are not known any more. */
    void forgetFigures() {
        gauges.forget();
    }
}
