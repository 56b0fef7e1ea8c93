package dev.posthaste.consumer.internal;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;

import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.posthaste.consumer.StoppedPartition;
import dev.posthaste.consumer.inbox.InboxStore;

/**
 * Keeps one of a handler's topics read: a thread {@code posthaste-<handler>[-retried]} that is a member of the topic's
 * group. When the member fails, another follows after a pause. Each topic has a group of its own, named like it, so
 * that members share the partitions of each evenly. Thread-safe.
 */
final class MemberLoop {

    private static final Logger LOG = LoggerFactory.getLogger(MemberLoop.class);
    private static final Duration CLOSE_BOUND = Duration.ofSeconds(5);
    private static final Exception NO_SIGN = new DisconnectException("no sign of life from the group's coordinator");

    private final HandlerSetup setup;
    private final String topic;
    private final InboxStore inbox;
    private final ChunkRunner runner;
    private final ExecutorService workers;
    private final StoreGate kafkaGate;
    private final TopicRetention retention;
    private final Thread thread;
    private final CountDownLatch stopping = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile Duration drainBound = Duration.ZERO;
    private volatile boolean drained = true;
    private volatile @Nullable GroupMember member;

    /**
     * Makes one; nothing runs before {@link #start()}.
     *
     * @param topic what it reads, and the id of its group
     * @param workers run the chunks; the caller's
     */
    MemberLoop(HandlerSetup setup, String topic, InboxStore inbox, ChunkRunner runner, ExecutorService workers) {
        this.setup = setup;
        this.topic = topic;
        this.inbox = inbox;
        this.runner = runner;
        this.workers = workers;
        this.kafkaGate =
                new StoreGate("Kafka for topic " + topic, setup.settings().storeBackoffMax(), System::nanoTime);
        this.retention = new TopicRetention(setup, topic);
        boolean retried = topic.equals(setup.topics().retry());
        this.thread = new Thread(this::run, "posthaste-" + setup.handler() + (retried ? "-retried" : ""));
    }

    void start() {
        thread.start();
    }

    /** Asks it to finish what it has in hand within the bound, and to end. Only the first call counts. */
    synchronized void stop(Duration bound) {
        if (stopping.getCount() > 0) {
            drainBound = bound;
            stopping.countDown();
        }
    }

    /** Waits for its end after {@link #stop}; true if all that was in hand was finished. */
    boolean awaitEnd() throws InterruptedException {
        if (thread.getState() == Thread.State.NEW) {
            return true;
        }
        ended.await();
        return drained;
    }

    private void run() {
        try {
            while (stopping.getCount() > 0) {
                if (mayRead()) {
                    beMember();
                }
                pause();
            }
        } finally {
            ended.countDown();
        }
    }

    /** Not before it is known that the inbox remembers longer than the topic keeps, nor while it is another's. */
    private boolean mayRead() {
        try {
            if (!isRefused() && retention.isCovered()) {
                return true;
            }
            stopping.await(setup.settings().storeBackoffMax().toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            stop(Duration.ZERO); // nobody but an owner of ours interrupts this thread
        } catch (RuntimeException e) { // Kafka's
            kafkaGate.failed(e);
        }
        return false;
    }

    /** The pollers ask again. */
    private boolean isRefused() {
        return setup.ownership().refused().isPresent();
    }

    private void beMember() {
        GroupMember joined = null;
        try {
            joined = new GroupMember(setup, topic, inbox, new KafkaConsumer<>(settings()), this::newLane);
            member = joined;
            while (stopping.getCount() > 0 && !isRefused()) {
                joined.pass();
                if (isKafkaAvailable()) {
                    kafkaGate.succeeded();
                } else if (joined.isOverdue(setup.settings().sessionTimeout())) {
                    kafkaGate.failed(NO_SIGN); // it goes on by itself; this is for the log
                }
            }
        } catch (UnknownTopicOrPartitionException e) {
            retention.forget();
            kafkaGate.failed(e);
        } catch (RuntimeException e) { // Kafka's, or a fault of ours: a new member begins from what is committed
            kafkaGate.failed(e);
            LOG.debug("handler {} leaves the group of {} and joins again", setup.handler(), topic, e);
        } finally {
            member = null;
            leave(joined);
        }
    }

    private Map<String, Object> settings() {
        Map<String, Object> settings = new HashMap<>(setup.kafka().consumer());
        settings.put(ConsumerConfig.GROUP_ID_CONFIG, topic);
        return settings;
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
                new LaneWidth(setup.concurrency(), setup.chunkMax()),
                workers,
                setup.inboxGate(),
                setup.breaker(),
                setup.clock());
    }

    boolean isRunning() {
        return thread.getState() != Thread.State.NEW && stopping.getCount() > 0;
    }

    /** Whether it is a live member of its group. */
    boolean isKafkaAvailable() {
        GroupMember current = member;
        return current != null
                && current.silenceSeconds() <= setup.settings().sessionTimeout().toSeconds();
    }

    /** Why it is none, where that is known; else null. */
    @Nullable
    String kafkaProblem() {
        return kafkaGate.why();
    }

    List<String> partitions() {
        GroupMember current = member;
        return current == null ? List.of() : current.partitions();
    }

    List<StoppedPartition> stopped() {
        GroupMember current = member;
        return current == null ? retention.refused().stream().toList() : current.stopped();
    }
}
