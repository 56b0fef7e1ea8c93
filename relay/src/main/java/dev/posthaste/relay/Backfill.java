package dev.posthaste.relay;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

import dev.posthaste.relay.evidence.DispatchedBatch;
import dev.posthaste.relay.publishing.Position;
import dev.posthaste.relay.publishing.PositionTracker;
import dev.posthaste.relay.source.OutboxRow;

/**
 * Finds the messages of the position's last batch among the rows skipped after a restart: the leader before may have
 * died between the commit in Kafka and the evidence. Evidence is written batch by batch before the slot moves, so only
 * that batch can lack it, and its messages are the last ones skipped. Holds at most one batch of them; confined to the
 * source's thread.
 */
final class Backfill {

    private final Position position;
    private final String catalogVersion;
    private final int wanted;
    private final Deque<OutboxRow> last = new ArrayDeque<>();

    /**
     * Looks for the last batch of that position.
     *
     * @param settled whether its evidence is there already: then nothing is kept
     */
    Backfill(Position position, String catalogVersion, boolean settled) {
        this.position = position;
        this.catalogVersion = catalogVersion;
        this.wanted = settled ? 0 : position.batchMessages();
    }

    /**
     * Takes a skipped row; once it is the last one the position covers, gives the batch whose evidence is to be
     * written.
     */
    Optional<DispatchedBatch> skipped(OutboxRow row, PositionTracker tracker) {
        if (wanted == 0) {
            return Optional.empty();
        }
        last.addLast(row);
        if (last.size() > wanted) {
            last.removeFirst();
        }
        if (!tracker.skippedLastPublishedRow()) {
            return Optional.empty();
        }
        if (last.size() < wanted) {
            throw new IllegalStateException(
                    "batch " + position.batch() + " lacks its evidence, but of its " + wanted + " messages only "
                            + last.size() + " were sent again; the slot was moved before the evidence was written");
        }
        return Optional.of(
                DispatchedBatch.of(position.batch(), 1, position.lastCommit(), catalogVersion, List.copyOf(last)));
    }
}
