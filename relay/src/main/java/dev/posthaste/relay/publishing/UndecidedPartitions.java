package dev.posthaste.relay.publishing;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;

import org.apache.kafka.clients.admin.DescribeProducersResult.PartitionProducerState;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.ProducerState;
import org.apache.kafka.clients.admin.TransactionDescription;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TransactionalIdNotFoundException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

import dev.posthaste.relay.lease.FencedException;

/**
 * Looks whether a transaction is undecided on the partitions of a relay. None is once its publisher was opened, if the
 * broker did all that it says: the coordinator has seen every earlier one to its end. Used by one thread.
 */
public final class UndecidedPartitions implements AutoCloseable {

    private static final long PAUSE_MILLIS = 50;

    private final PublisherSettings settings;
    private final String operatorsId;
    private final TopicPartition position;
    private final Set<TopicPartition> partitions = new HashSet<>();
    private final AdminCalls calls;

    /**
     * Looks at nothing yet.
     *
     * @param operatorsId the transactional id of operators, whose transactions may be open at any time
     * @param topics how many partitions the topic of each handler has
     */
    public UndecidedPartitions(PublisherSettings settings, String operatorsId, Map<String, Integer> topics) {
        this.settings = settings;
        this.operatorsId = operatorsId;
        this.position = new TopicPartition(settings.namespace().positionTopic(), 0);
        this.calls = new AdminCalls(settings.kafka(), settings.requestTimeout());
        topics.forEach((topic, count) -> {
            for (int partition = 0; partition < count; partition++) {
                partitions.add(new TopicPartition(topic, partition));
            }
        });
    }

    /**
     * The partitions on which a transaction is undecided, and from which offset: mostly none, and at once. Markers may
     * be on their way for a moment, so it waits for them as long as a request may take.
     *
     * @throws KafkaException if Kafka does not answer
     */
    public Map<TopicPartition, Long> await() throws InterruptedException {
        if (hasPosition()) {
            partitions.add(position);
        }
        long deadline = System.nanoTime() + settings.requestTimeout().toNanos();
        Map<TopicPartition, Long> undecided = undecided();
        while (!undecided.isEmpty() && System.nanoTime() - deadline < 0) {
            Thread.sleep(PAUSE_MILLIS);
            undecided = undecided();
        }
        return undecided;
    }

    /** Asked for the end of a missing topic, the client would look for it until its time is over. */
    private boolean hasPosition() throws InterruptedException {
        try {
            calls.call(admin -> admin.describeTopics(Set.of(position.topic())).allTopicNames());
            return true;
        } catch (UnknownTopicOrPartitionException e) {
            return false;
        }
    }

    /** What was written before the first question is decided where the second one's answer reaches as far. */
    private Map<TopicPartition, Long> undecided() throws InterruptedException {
        Map<TopicPartition, Long> written = ends(IsolationLevel.READ_UNCOMMITTED);
        Map<TopicPartition, Long> stable = ends(IsolationLevel.READ_COMMITTED);
        stable.entrySet().removeIf(end -> end.getValue() >= written.getOrDefault(end.getKey(), 0L));
        return stable;
    }

    private Map<TopicPartition, Long> ends(IsolationLevel level) throws InterruptedException {
        Map<TopicPartition, OffsetSpec> latest = new HashMap<>();
        partitions.forEach(partition -> latest.put(partition, OffsetSpec.latest()));
        Map<TopicPartition, Long> ends = new HashMap<>();
        calls.call(admin ->
                        admin.listOffsets(latest, new ListOffsetsOptions(level)).all())
                .forEach((partition, end) -> ends.put(partition, end.offset()));
        return ends;
    }

    /**
     * Finds out what hangs there; empty if it is nothing of the relays: an operator's transaction does not concern
     * them.
     *
     * @param undecided found by {@link #await}
     * @throws FencedException if it does not hang, but is another publisher's who has taken over
     * @throws KafkaException if Kafka does not answer, or the position's partition is still in motion
     */
    public Optional<HangingTransaction> look(Map<TopicPartition, Long> undecided)
            throws FencedException, InterruptedException {
        Producers producers;
        try {
            producers = producers();
        } catch (AuthorizationException e) {
            return Optional.of(HangingTransaction.doubtful(
                    undecided, "the relay may not look at it: " + e.getMessage() + "; allow it READ on these topics"));
        }
        if (producers.live) {
            throw new FencedException("Kafka: another relay publishes as " + settings.transactionalId());
        }
        if (!producers.strangers.isEmpty()) {
            return Optional.of(HangingTransaction.doubtful(
                    undecided,
                    "what hangs there is of producer id " + producers.strangers + ", which is not that of "
                            + settings.transactionalId()));
        }
        if (producers.hanging.isEmpty()) {
            if (undecided.containsKey(position)) {
                throw new TimeoutException("the partition " + position + " was not stable within "
                        + settings.requestTimeout().toMillis() + " ms");
            }
            return Optional.empty();
        }
        HangingRecords records = HangingRecords.read(settings, producers.hanging);
        return Optional.of(new HangingTransaction(
                producers.hanging,
                producers.hanging.containsKey(position),
                records.positions(),
                records.messages(),
                records.since(),
                producers.isDecidedInPart(),
                records.doubt()));
    }

    /** What the partitions know of producers. */
    private static final class Producers {
        private final Map<TopicPartition, Long> hanging = new HashMap<>();
        private final Set<Long> strangers = new TreeSet<>();
        /** Whether somebody opened a publisher since, and is at work: what hangs is of an epoch before ours. */
        private boolean live;

        private int firstHangingEpoch = Integer.MAX_VALUE;
        private int lastDecidedEpoch = -1;

        /**
         * The marker of a transaction has the epoch after that of its records (so it is since transaction.version 2),
         * and nothing was written since with a later one.
         */
        boolean isDecidedInPart() {
            return lastDecidedEpoch > firstHangingEpoch;
        }
    }

    private Producers producers() throws InterruptedException {
        TransactionDescription ours = describe(settings.transactionalId());
        TransactionDescription operators = describe(operatorsId);
        Producers found = new Producers();
        Map<TopicPartition, PartitionProducerState> states =
                calls.call(admin -> admin.describeProducers(partitions).all());
        states.forEach((partition, state) -> {
            for (ProducerState producer : state.activeProducers()) {
                OptionalLong begin = producer.currentTransactionStartOffset();
                if (ours != null && producer.producerId() == ours.producerId()) {
                    if (begin.isPresent()) {
                        found.live |= producer.producerEpoch() >= ours.producerEpoch();
                        found.hanging.put(partition, begin.getAsLong());
                        found.firstHangingEpoch = Math.min(found.firstHangingEpoch, producer.producerEpoch());
                    } else {
                        found.lastDecidedEpoch = Math.max(found.lastDecidedEpoch, producer.producerEpoch());
                    }
                } else if (begin.isPresent()
                        && (operators == null || producer.producerId() != operators.producerId())) {
                    found.strangers.add(producer.producerId());
                }
            }
        });
        return found;
    }

    private @Nullable TransactionDescription describe(String transactionalId) throws InterruptedException {
        try {
            return calls.call(
                    admin -> admin.describeTransactions(Set.of(transactionalId)).description(transactionalId));
        } catch (TransactionalIdNotFoundException e) {
            return null;
        }
    }

    @Override
    public void close() {
        calls.close();
    }
}
