package dev.posthaste.relay;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.posthaste.relay.lease.FencedException;
import dev.posthaste.relay.publishing.HangingTransaction;
import dev.posthaste.relay.publishing.KafkaPublisher;
import dev.posthaste.relay.publishing.Position;
import dev.posthaste.relay.publishing.PositionStore;
import dev.posthaste.relay.publishing.TopicTail;
import dev.posthaste.relay.publishing.UndecidedPartitions;
import dev.posthaste.relay.source.SourceDatabase;

/**
 * Makes sure, before the position is read, that every transaction of an earlier publisher is decided. A broker may take
 * one for over whose markers it never wrote. Then the position would not tell of its batch, which would be published
 * again; and the next commit under the same transactional id would commit the first copies, too.
 *
 * <p>What hangs is aborted where that is right for certain: nothing of it is committed anywhere, and nothing says that
 * it was published. Everything else halts, since the next transaction would decide it one way or the other.
 */
final class HangingCheck {

    private static final Logger log = LoggerFactory.getLogger(HangingCheck.class);
    /** Brokers forget after a day (producer.id.expiration.ms) which transaction they decided last on a partition. */
    private static final Duration AGE_MAX = Duration.ofHours(1);

    private final RelaySettings settings;
    private final KafkaPublisher publisher;
    private final SourceDatabase database;

    private HangingCheck(RelaySettings settings, KafkaPublisher publisher, SourceDatabase database) {
        this.settings = settings;
        this.publisher = publisher;
        this.database = database;
    }

    /**
     * Decides what hangs; mostly nothing.
     *
     * @param publisher just opened
     * @param topics how many partitions the topic of each handler has
     * @throws HaltException if it is not for the relay to decide
     */
    static void settle(
            RelaySettings settings, KafkaPublisher publisher, Map<String, Integer> topics, SourceDatabase database)
            throws SQLException, HaltException, FencedException, InterruptedException {
        try (UndecidedPartitions partitions = new UndecidedPartitions(
                settings.publisher(), settings.operator().transactionalId(), topics)) {
            Map<TopicPartition, Long> undecided = partitions.await();
            if (undecided.isEmpty()) {
                return;
            }
            Optional<HangingTransaction> hanging = partitions.look(undecided);
            if (hanging.isPresent()) {
                new HangingCheck(settings, publisher, database).decide(hanging.get());
                Map<TopicPartition, Long> left = partitions.await();
                if (hanging.get().from().keySet().stream().anyMatch(left::containsKey)) {
                    throw new TimeoutException("a transaction that hung before hangs still on " + left.keySet());
                }
            }
        }
    }

    private void decide(HangingTransaction hanging)
            throws SQLException, HaltException, FencedException, InterruptedException {
        Position committed = hanging.doubt() == null ? readPosition() : null;
        String objection = hanging.doubt() != null ? hanging.doubt() : objection(hanging, committed);
        if (objection != null) {
            throw new HaltException(
                    HaltReason.Cause.TRANSACTION_UNDECIDED,
                    "Kafka left a transaction of " + settings.publisher().transactionalId() + " undecided on "
                            + hanging.where() + ": " + objection,
                    "see the runbook; kafka-transactions.sh find-hanging finds it, and kafka-transactions.sh abort ends it"
                            + " once you know what becomes of its messages");
        }
        if (committed != null && movesThePositionAlone(hanging, committed)) {
            log.warn("Kafka left a position undecided, on {}; committing it", hanging.where());
            publisher.publishPosition(
                    hanging.positions().get(hanging.positions().size() - 1));
        } else {
            log.warn(
                    "Kafka left a transaction undecided, on {}; aborting it, its {} records are published again",
                    hanging.where(),
                    hanging.messages().size());
            publisher.abort(hanging.from().keySet());
        }
    }

    /** Null as well where it cannot be read: whoever needs it says why. */
    private @Nullable Position readPosition() {
        try {
            return new PositionStore(settings.publisher()).read().orElse(null);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** Why it is not to be decided; null: it is. */
    private @Nullable String objection(HangingTransaction hanging, @Nullable Position committed) throws SQLException {
        if (committed == null) {
            return "there is no position to tell by";
        }
        Instant since = hanging.since();
        if (since != null && since.plus(AGE_MAX).isBefore(Instant.now())) {
            return "it is of " + since + ", too old for its broker to tell whether it is decided elsewhere";
        }
        if (movesThePositionAlone(hanging, committed)) {
            return null; // the slot may have moved there, and all before it is published in any case
        }
        if (isProved(hanging, committed)) {
            return "evidence says that its messages are published, so they must not be aborted";
        }
        if (hanging.positionHangs()) {
            return hanging.decidedInPart() ? "other partitions have its outcome already" : null;
        }
        boolean laterThanPublished = committed.batch() == 0 || database.hasEvidence(settings.slot(), committed.batch());
        return laterThanPublished
                ? null
                : "it may be batch " + committed.batch()
                        + ", which the position says is published and which has no evidence yet";
    }

    private static boolean movesThePositionAlone(HangingTransaction hanging, Position committed) {
        return hanging.from().size() == 1
                && !hanging.positions().isEmpty()
                && hanging.positions().stream().allMatch(position -> position.batch() == committed.batch());
    }

    private boolean isProved(HangingTransaction hanging, Position committed) throws SQLException {
        for (Position position : hanging.positions()) {
            if (position.batch() > committed.batch() && database.hasEvidence(settings.slot(), position.batch())) {
                return true;
            }
        }
        List<TopicTail.Seen> messages = hanging.messages();
        return database.hasEvidence(
                messages.stream().map(TopicTail.Seen::id).distinct().toList(),
                messages.stream().map(TopicTail.Seen::stagedAt).toList());
    }
}
