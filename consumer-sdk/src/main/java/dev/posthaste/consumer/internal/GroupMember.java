package dev.posthaste.consumer.internal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.posthaste.consumer.StoppedPartition;
import dev.posthaste.consumer.inbox.InboxStore;
import dev.posthaste.consumer.inbox.Printable;

/**
 * One life of a Kafka consumer in its handler's group: polls, feeds a lane per partition, commits what the lanes have
 * finished. Handlers never run on its thread, so a slow one does not cost the membership. All but the readings for
 * health is for the loop's thread.
 */
final class GroupMember implements ConsumerRebalanceListener {

    private static final Logger LOG = LoggerFactory.getLogger(GroupMember.class);
    private static final Duration POLL = Duration.ofMillis(50);
    private static final Duration JOIN_BOUND = Duration.ofSeconds(30);
    private static final Duration COMMIT_BOUND = Duration.ofSeconds(5);

    /** How long a rebalance waits for chunks in hand. Later ones are safe as well: the inbox tells the next owner. */
    private static final Duration REVOKE_WAIT = Duration.ofSeconds(20);

    /** How often a member without partitions looks whether there is anything to read. */
    private static final Duration LOOK_EVERY = Duration.ofSeconds(2);

    private static final Duration LOOK_BOUND = Duration.ofSeconds(2);

    private final String topic;
    private final Consumer<byte[], byte[]> consumer;
    private final OffsetCommitter offsets;
    private final StartRule startRule;
    private final Function<TopicPartition, Lane> newLane;
    private final Map<TopicPartition, Lane> lanes = new ConcurrentHashMap<>();
    private Duration revokeWait = REVOKE_WAIT;
    private final long madeNanos = System.nanoTime();
    private long lookedNanos = madeNanos - LOOK_EVERY.toNanos();
    private volatile long joinedNanos;
    private volatile boolean joined;

    GroupMember(
            HandlerSetup setup,
            String topic,
            InboxStore inbox,
            Consumer<byte[], byte[]> consumer,
            Function<TopicPartition, Lane> newLane) {
        this.topic = topic;
        this.consumer = consumer;
        this.offsets = new OffsetCommitter(consumer);
        this.startRule = new StartRule(setup, inbox, consumer, offsets);
        this.newLane = newLane;
        consumer.subscribe(List.of(topic), this);
    }

    /** One round; throws KafkaException if this member is of no more use. */
    void pass() {
        requireTopic();
        startRule.decide(lanes.values());
        pauseAndResume();
        ConsumerRecords<byte[], byte[]> records;
        try {
            records = consumer.poll(POLL);
        } catch (OffsetOutOfRangeException e) {
            e.offsetOutOfRangePartitions().forEach((partition, offset) -> {
                if (!startRule.beginsAnew(partition)) {
                    stop(partition, startRule.outOfRange(partition, offset));
                }
            });
            return;
        }
        for (TopicPartition partition : records.partitions()) {
            Lane lane = lanes.get(partition);
            if (lane != null) {
                lane.add(records.records(partition));
            }
        }
        lanes.values().forEach(Lane::wake);
        offsets.commitAsync(lanes.values());
    }

    /** Kafka lets the members of a group live whose topic is gone, and gives them nothing. */
    private void requireTopic() {
        long now = System.nanoTime();
        if (!lanes.isEmpty() || now - lookedNanos < LOOK_EVERY.toNanos()) {
            return;
        }
        lookedNanos = now;
        try {
            if (consumer.partitionsFor(topic, LOOK_BOUND).isEmpty()) {
                throw TopicRetention.missing(topic);
            }
        } catch (TimeoutException e) {
            LOG.debug("whether there is topic {} is not known: the signs of life tell whether Kafka is away", topic, e);
        }
    }

    private void stop(TopicPartition partition, StoppedPartition why) {
        Lane lane = lanes.get(partition);
        if (lane != null) {
            lane.stop(why);
        }
    }

    private void pauseAndResume() {
        List<TopicPartition> pause = new ArrayList<>();
        List<TopicPartition> resume = new ArrayList<>();
        lanes.forEach((partition, lane) -> (lane.wantsMore() ? resume : pause).add(partition));
        consumer.pause(pause);
        consumer.resume(resume);
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
        joinedNanos = System.nanoTime();
        joined = true;
        if (partitions.isEmpty()) {
            return;
        }
        consumer.pause(partitions); // until it is decided where they begin
        startRule.seek(partitions);
        partitions.forEach(partition -> lanes.put(partition, newLane.apply(partition)));
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
        List<Lane> leaving = leaving(partitions);
        long deadline = System.nanoTime() + revokeWait.toNanos();
        for (Lane lane : leaving) {
            if (!lane.awaitChunks(Duration.ofNanos(deadline - System.nanoTime()))) {
                LOG.warn(
                        "{} is given away while records after offset {} are in hand; the inbox keeps their effect to"
                                + " one",
                        lane.partition(),
                        lane.finishedOffset());
            }
        }
        offsets.commitSync(leaving, COMMIT_BOUND);
        forget(partitions);
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> partitions) {
        leaving(partitions);
        forget(partitions);
    }

    private List<Lane> leaving(Collection<TopicPartition> partitions) {
        List<Lane> leaving = new ArrayList<>();
        for (TopicPartition partition : partitions) {
            Lane lane = lanes.get(partition);
            if (lane != null) {
                lane.close();
                leaving.add(lane);
            }
        }
        return leaving;
    }

    private void forget(Collection<TopicPartition> partitions) {
        partitions.forEach(lanes::remove);
        partitions.forEach(offsets::forget);
    }

    /** Finishes the chunks in hand, commits, leaves the group; true if all of them were finished in that time. */
    boolean leave(Duration chunkBound, Duration closeBound) {
        lanes.values().forEach(Lane::close);
        long deadline = System.nanoTime() + chunkBound.toNanos();
        boolean finished = true;
        for (Lane lane : lanes.values()) {
            finished &= lane.awaitChunks(Duration.ofNanos(deadline - System.nanoTime()));
        }
        revokeWait = Duration.ZERO;
        try {
            consumer.close(CloseOptions.timeout(closeBound)); // calls onPartitionsRevoked, which commits
        } catch (KafkaException e) {
            LOG.warn("leaving the group failed; Kafka will notice by itself: {}", Printable.of(e.toString()));
        }
        return finished;
    }

    List<String> partitions() {
        return lanes.keySet().stream().map(TopicPartition::toString).sorted().toList();
    }

    List<StoppedPartition> stopped() {
        return lanes.values().stream().flatMap(lane -> lane.stopped().stream()).toList();
    }

    /** Seconds since it last gave the group a sign of life; infinite before it has joined. */
    double silenceSeconds() {
        double sinceHeartbeat = consumer.metrics().values().stream()
                .filter(metric -> metric.metricName().name().equals("last-heartbeat-seconds-ago"))
                .map(Metric::metricValue)
                .filter(value -> value instanceof Double seconds && seconds >= 0) // negative before the first one
                .mapToDouble(value -> (Double) value)
                .findFirst()
                .orElse(Double.POSITIVE_INFINITY);
        return Math.min(sinceHeartbeat, sinceJoined());
    }

    /** Whether it has been without a sign of life for too long; joining for the first time takes its time. */
    boolean isOverdue(Duration sessionTimeout) {
        return joined
                ? silenceSeconds() > sessionTimeout.toSeconds()
                : System.nanoTime() - madeNanos > JOIN_BOUND.toNanos();
    }

    private double sinceJoined() {
        return joined ? (System.nanoTime() - joinedNanos) / 1e9 : Double.POSITIVE_INFINITY;
    }
}
