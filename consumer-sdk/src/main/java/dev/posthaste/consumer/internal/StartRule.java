package dev.posthaste.consumer.internal;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.sql.DataSource;

import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.posthaste.consumer.StopReason;
import dev.posthaste.consumer.StoppedPartition;
import dev.posthaste.consumer.inbox.InboxStore;

/**
 * Where a newly assigned partition begins. With a committed offset: there. Without one: at the earliest record, but
 * only the first time ever, which the inbox remembers; later it means that the group's offsets have expired, and then
 * it stands still instead of running everything again or jumping over something.
 *
 * <p>The retry topic never stands still for its offsets: what waits is in the inbox, which emits again what was not run
 * in time, and skips what comes twice. Used by the loop's thread only.
 */
final class StartRule {

    private static final Logger LOG = LoggerFactory.getLogger(StartRule.class);

    /** Where it stands is just what is not known. */
    private static final long NO_OFFSET = -1;

    private final HandlerSetup setup;
    private final DataSource dataSource;
    private final InboxStore inbox;
    private final Consumer<byte[], byte[]> consumer;
    private final OffsetCommitter offsets;

    StartRule(HandlerSetup setup, InboxStore inbox, Consumer<byte[], byte[]> consumer, OffsetCommitter offsets) {
        this.setup = setup;
        this.dataSource = setup.dataSource();
        this.inbox = inbox;
        this.consumer = consumer;
        this.offsets = offsets;
    }

    /** Seeks to where each would begin, so that none is without a position. Whether it may begin is decided later. */
    void seek(Collection<TopicPartition> partitions) {
        Map<TopicPartition, OffsetAndMetadata> committed = consumer.committed(Set.copyOf(partitions));
        List<TopicPartition> without = partitions.stream()
                .filter(partition -> committed.get(partition) == null)
                .toList();
        committed.forEach((partition, offset) -> {
            if (offset != null) {
                consumer.seek(partition, offset);
                offsets.isCommitted(partition, offset.offset());
            }
        });
        consumer.beginningOffsets(without).forEach(consumer::seek);
    }

    /** Starts those that may begin and stops the others; does nothing while the inbox is away. */
    void decide(Collection<Lane> lanes) {
        List<Lane> undecided = lanes.stream()
                .filter(lane -> !lane.isStarted() && lane.stopped().isEmpty())
                .toList();
        if (undecided.isEmpty() || !setup.inboxGate().mayTry()) {
            return;
        }
        try (Connection connection = dataSource.getConnection()) {
            boolean autoCommit = connection.getAutoCommit();
            connection.setAutoCommit(true);
            if (!setup.ownership().isOurs(connection)) {
                return; // this member is about to leave
            }
            for (Lane lane : undecided) {
                TopicPartition partition = lane.partition();
                Set<Integer> startedBefore = inbox.startedPartitions(connection, partition.topic());
                decide(lane, startedBefore.contains(partition.partition()), connection);
            }
            connection.setAutoCommit(autoCommit);
            setup.inboxGate().succeeded();
        } catch (RebalanceInProgressException | CommitFailedException e) {
            LOG.debug(
                    "handler {} is rebalancing; where its partitions begin is decided afterwards", setup.handler(), e);
        } catch (KafkaException e) {
            throw e; // this member is of no more use
        } catch (SQLException | RuntimeException e) {
            setup.inboxGate().failed(e);
        }
    }

    private void decide(Lane lane, boolean startedBefore, Connection connection) throws SQLException {
        boolean hasOffset = offsets.knows(lane.partition());
        if (!hasOffset && startedBefore && !isRetry(lane.partition())) {
            lane.stop(offsetLost(lane.partition()));
            return;
        }
        if (!hasOffset) {
            long beginning = consumer.position(lane.partition());
            consumer.commitSync(Map.of(lane.partition(), new OffsetAndMetadata(beginning)));
            offsets.isCommitted(lane.partition(), beginning);
        }
        if (!startedBefore) {
            inbox.startPartition(
                    connection,
                    lane.partition().topic(),
                    lane.partition().partition()); // only now: from here on a missing offset is a lost one
        }
        lane.start();
    }

    private boolean isRetry(TopicPartition partition) {
        return partition.topic().equals(setup.topics().retry());
    }

    /** Whether it goes on with the earliest record though its offset is not on the topic any more. */
    boolean beginsAnew(TopicPartition partition) {
        if (!isRetry(partition)) {
            return false;
        }
        LOG.warn("{} begins with its earliest record; what it has lost is emitted again", partition);
        consumer.seekToBeginning(List.of(partition));
        offsets.isCommitted(partition, 0);
        return true;
    }

    private StoppedPartition offsetLost(TopicPartition partition) {
        return stopped(
                partition,
                NO_OFFSET,
                StopReason.OFFSET_LOST,
                "the group " + partition.topic()
                        + " has read this partition before, but has no committed offset any more;"
                        + " set one with kafka-consumer-groups --reset-offsets (completed messages are skipped), or"
                        + " delete its row from inbox.started_partition to begin with the earliest record");
    }

    /** For a committed offset that is not on the topic any more. */
    StoppedPartition outOfRange(TopicPartition partition, long offset) {
        return stopped(
                partition,
                offset,
                StopReason.OFFSET_OUT_OF_RANGE,
                "offset " + offset + " is not on the topic any more: records were deleted before they were read, or the"
                        + " topic was made anew; find out what is missing, then set the offset with"
                        + " kafka-consumer-groups --reset-offsets");
    }

    private StoppedPartition stopped(TopicPartition partition, long offset, StopReason reason, String summary) {
        Clock clock = setup.clock();
        return new StoppedPartition(
                setup.handler(),
                partition.topic(),
                partition.partition(),
                offset,
                null,
                reason,
                null,
                summary,
                clock.instant());
    }
}
