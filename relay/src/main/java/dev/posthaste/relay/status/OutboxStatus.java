package dev.posthaste.relay.status;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

import dev.posthaste.relay.publishing.Position;
import dev.posthaste.relay.source.SlotState;

/**
 * How an outbox stands.
 *
 * @param leader who holds the lease, or held it last; empty: nobody ever did
 * @param position how far it is published; empty: there is no record
 * @param slot empty: it does not exist
 * @param lag what waits
 * @param quarantined what is set aside
 * @param topics of all handlers
 */
public record OutboxStatus(
        Optional<Leader> leader,
        Optional<Position> position,
        Optional<SlotState> slot,
        Lag lag,
        Quarantined quarantined,
        List<TopicStatus> topics) {

    /** The holder of the lease. */
    public record Leader(String owner, long fence, Instant since, boolean expired) {}

    /**
     * What waits.
     *
     * @param messages committed and without evidence
     * @param oldest age of the oldest of them by the database's clock; zero if none waits
     */
    public record Lag(long messages, Duration oldest) {}

    /**
     * What could not be published.
     *
     * @param failed the relay tries again by itself
     * @param deadLetters wait for an operator
     */
    public record Quarantined(long failed, long deadLetters) {}

    /**
     * One topic.
     *
     * @param endOffsets of its partitions, added up: more than records, since the markers of transactions count
     */
    public record TopicStatus(String name, boolean exists, int partitions, long endOffsets) {}

    /** Whether somebody leads and the slot can be streamed. */
    public boolean isHealthy() {
        return leader.isPresent()
                && !leader.get().expired()
                && position.isPresent()
                && slot.isPresent()
                && slot.get().isUsable()
                && topics.stream().allMatch(TopicStatus::exists);
    }
}
