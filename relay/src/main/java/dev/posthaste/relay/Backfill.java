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
 * that batch can lack it, and its messages are the last ones skipped. Until they are found the slot must not move: what
 * is acknowledged is not sent again. Holds at most one batch of them; confined to the source's thread.
 */
final class Backfill {

    private final Position position;
    private final String catalogVersion;
    private int wanted;
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

    /** Whether evidence is missing and its messages are not all found yet. */
    boolean isWaiting() {
        return wanted > 0;
    }

    /**
     * Takes a skipped row; once it is the last one the position covers, gives the batch whose evidence is to be
     * written.
     */
    Optional<DispatchedBatch> skipped(OutboxRow row, PositionTracker tracker) throws HaltException {
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
            throw lost();
        }
        DispatchedBatch batch =
                DispatchedBatch.of(position.batch(), 1, position.lastCommit(), catalogVersion, List.copyOf(last));
        wanted = 0;
        last.clear();
        return Optional.of(batch);
    }

    /** Refuses to go on once the stream is beyond the position and the messages were not among those skipped. */
    void requireFound(PositionTracker tracker) throws HaltException {
        if (wanted > 0 && !tracker.isFiltering()) {
            throw lost();
        }
    }

    private HaltException lost() {
        return new HaltException(
                HaltReason.Cause.EVIDENCE_INCOMPLETE,
                "batch " + position.batch() + " is published, but its evidence is missing, and of its "
                        + position.batchMessages() + " messages only " + last.size()
                        + " were sent again: the slot had moved, or evidence was deleted",
                "put the evidence back, or run posthaste repair --cause EVIDENCE_INCOMPLETE");
    }
}
