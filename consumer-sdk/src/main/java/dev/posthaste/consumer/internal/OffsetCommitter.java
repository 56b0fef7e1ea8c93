package dev.posthaste.consumer.internal;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Commits how far the lanes are: only what is finished without a gap, and after the database has committed it. Used by
 * the loop's thread only.
 */
final class OffsetCommitter {

    private static final Logger LOG = LoggerFactory.getLogger(OffsetCommitter.class);

    private final Consumer<byte[], byte[]> consumer;
    private final Map<TopicPartition, Long> committed = new HashMap<>();
    private boolean underWay;
    private boolean told;

    OffsetCommitter(Consumer<byte[], byte[]> consumer) {
        this.consumer = consumer;
    }

    /** Remembers what the group has committed already. */
    void isCommitted(TopicPartition partition, long offset) {
        committed.put(partition, offset);
    }

    boolean knows(TopicPartition partition) {
        return committed.containsKey(partition);
    }

    void forget(TopicPartition partition) {
        committed.remove(partition);
    }

    /** Sends what is new; one commit is under way at a time. A lost one costs nothing: the next one says more. */
    void commitAsync(Collection<Lane> lanes) {
        Map<TopicPartition, OffsetAndMetadata> offsets = underWay ? Map.of() : news(lanes);
        if (offsets.isEmpty()) {
            return;
        }
        underWay = true;
        consumer.commitAsync(offsets, (sent, error) -> {
            underWay = false;
            if (error == null) {
                remember(sent);
                told = false;
            } else {
                tell(sent.keySet(), error);
            }
        });
    }

    /** Once until the next success; a rebalance is no failure. */
    private void tell(Set<TopicPartition> partitions, Exception error) {
        if (told || error instanceof RebalanceInProgressException) {
            LOG.debug("offsets of {} were not committed and will be sent again", partitions, error);
            return;
        }
        told = true;
        LOG.warn(
                "offsets of {} were not committed ({}); they are sent again, and records that come again will be skipped",
                partitions,
                error.toString());
    }

    /** Commits and waits; if it fails, records are delivered again and skipped as completed. */
    void commitSync(Collection<Lane> lanes, Duration bound) {
        Map<TopicPartition, OffsetAndMetadata> offsets = news(lanes);
        if (offsets.isEmpty()) {
            return;
        }
        try {
            consumer.commitSync(offsets, bound);
            remember(offsets);
        } catch (KafkaException e) {
            LOG.warn(
                    "offsets of {} were not committed ({}); their records come again and will be skipped",
                    offsets.keySet(),
                    e.toString());
        }
    }

    private void remember(Map<TopicPartition, OffsetAndMetadata> offsets) {
        offsets.forEach((partition, offset) -> committed.replace(partition, offset.offset()));
    }

    private Map<TopicPartition, OffsetAndMetadata> news(Collection<Lane> lanes) {
        Map<TopicPartition, OffsetAndMetadata> news = new HashMap<>();
        for (Lane lane : lanes) {
            Long before = committed.get(lane.partition());
            long now = offsetOf(lane);
            if (now >= 0 && (before == null || now > before)) {
                news.put(lane.partition(), new OffsetAndMetadata(now));
            }
        }
        return news;
    }

    /** The position is past the markers of Kafka's transactions, which no record shows: so the lag comes down to 0. */
    private long offsetOf(Lane lane) {
        return lane.isIdle() ? consumer.position(lane.partition()) : lane.finishedOffset();
    }
}
