package dev.posthaste.consumer.internal;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.micrometer.core.instrument.Gauge;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.posthaste.consumer.ConsumerHealth;
import dev.posthaste.consumer.StoppedPartition;
import dev.posthaste.consumer.inbox.InboxStore;
import dev.posthaste.consumer.inbox.PostgresInbox;
import dev.posthaste.consumer.internal.outgoing.Outgoing;

/**
 * Runs one handler: a thread {@code posthaste-<handler>} that is a member of its group, and a pool of threads
 * {@code posthaste-<handler>-<n>} on which its lanes run; beside them {@link Outgoing}. When the member fails, another
 * follows after a pause. Owns both and ends both. Thread-safe.
 */
public final class HandlerLoop {

    private static final Logger LOG = LoggerFactory.getLogger(HandlerLoop.class);
    private static final Duration CLOSE_BOUND = Duration.ofSeconds(5);
    private static final long IDLE_THREAD_SECONDS = 30;

    private final HandlerSetup setup;
    private final InboxStore inbox;
    private final ChunkRunner runner;
    private final Outgoing outgoing;
    private final StoreGate kafkaGate;
    private final ExecutorService workers;
    private final Thread thread;
    private final Gauge stoppedGauge;
    private final CountDownLatch stopping = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile Duration drainBound = Duration.ZERO;
    private volatile boolean drained = true;
    private volatile @Nullable GroupMember member;

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
        this.runner = new ChunkRunner(setup, inbox, transaction, new FailureRecorder(setup, inbox, meters), meters);
        this.outgoing = new Outgoing(setup, inbox);
        this.kafkaGate = new StoreGate(
                "Kafka for handler " + setup.handler(), setup.settings().storeBackoffMax(), System::nanoTime);
        this.thread = new Thread(this::run, "posthaste-" + setup.handler());
        this.stoppedGauge = Gauge.builder("posthaste.partitions.stopped", this, loop -> loop.stopped()
                        .size())
                .description("Partitions that stand still")
                .tag("handler", setup.handler())
                .register(setup.meters());
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

    /** Starts the thread; once only. */
    public void start() {
        outgoing.start();
        thread.start();
    }

    /** Asks it to finish what it has in hand within the bound, and to end. Only the first call counts. */
    public synchronized void stop(Duration bound) {
        if (stopping.getCount() > 0) {
            drainBound = bound;
            stopping.countDown();
        }
    }

    /** Waits for its end after {@link #stop}; true if all that was in hand was finished. */
    public boolean awaitEnd() throws InterruptedException {
        if (thread.getState() == Thread.State.NEW) {
            return true;
        }
        ended.await();
        return drained;
    }

    private void run() {
        try {
            while (stopping.getCount() > 0) {
                beMember();
                pause();
            }
        } finally {
            workers.shutdownNow();
            outgoing.close();
            setup.meters().remove(stoppedGauge);
            ended.countDown();
        }
    }

    private void beMember() {
        GroupMember joined = null;
        try {
            joined = new GroupMember(
                    setup, inbox, new KafkaConsumer<>(setup.kafka().consumer()), this::newLane);
            member = joined;
            while (stopping.getCount() > 0) {
                joined.pass();
                if (isKafkaAvailable()) {
                    kafkaGate.succeeded();
                }
            }
        } catch (RuntimeException e) { // Kafka's, or a fault of ours: a new member begins from what is committed
            kafkaGate.failed(e);
            LOG.debug("handler {} leaves its group and joins again", setup.handler(), e);
        } finally {
            member = null;
            leave(joined);
        }
    }

    private void leave(@Nullable GroupMember joined) {
        if (joined == null) {
            return;
        }
        boolean finished = joined.leave(drainBound, CLOSE_BOUND);
        if (stopping.getCount() == 0 && !finished) {
            drained = false;
            LOG.warn(
                    "handler {} did not finish its records within {}; they are rolled back and come again",
                    setup.handler(),
                    drainBound);
        }
    }

    private void pause() {
        try {
            while (!kafkaGate.isOpen() && !stopping.await(10, TimeUnit.MILLISECONDS)) {}
        } catch (InterruptedException e) {
            stop(Duration.ZERO); // nobody but an owner of ours interrupts this thread
        }
    }

    private Lane newLane(TopicPartition partition) {
        return new Lane(
                setup.handler(),
                partition,
                runner,
                setup.settings().chunkMax(),
                workers,
                setup.inboxGate(),
                setup.clock());
    }

    /** Whether it is a live member of its group. */
    public boolean isKafkaAvailable() {
        GroupMember current = member;
        return current != null
                && current.silenceSeconds() <= setup.settings().sessionTimeout().toSeconds();
    }

    private List<StoppedPartition> stopped() {
        GroupMember current = member;
        return current == null ? List.of() : current.stopped();
    }

    /** How it is now. */
    public ConsumerHealth.HandlerHealth health() {
        GroupMember current = member;
        boolean running = thread.getState() != Thread.State.NEW && stopping.getCount() > 0;
        return new ConsumerHealth.HandlerHealth(
                setup.handler(), running, isKafkaAvailable(), current == null ? 0 : current.partitions(), stopped());
    }
}
