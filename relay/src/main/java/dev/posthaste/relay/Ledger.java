package dev.posthaste.relay;

import dev.posthaste.relay.publishing.Position;
import dev.posthaste.relay.publishing.PositionTracker;
import dev.posthaste.relay.source.Lsn;

/**
 * Asserts, before the slot is allowed to move, that it moves past nothing but what is published and proved. It counts
 * for itself, apart from the batches: every row the source hands over is either skipped, since it was published before,
 * or settled. Confined to the source's thread.
 */
final class Ledger {

    private long unsettled;

    /** A row came from the source. */
    void taken() {
        unsettled++;
    }

    /** So many of them are published and proved, now or before. */
    void settled(int rows) {
        unsettled -= rows;
    }

    /**
     * Refuses a place that the source has not told to be the end of a transaction: a position must not know it either.
     */
    void requireTold(Lsn place, PositionTracker tracker) {
        if (tracker.lastCommit().isBefore(place)) {
            throw fault(place, "no transaction is known to end there; the last one ended at " + tracker.lastCommit());
        }
    }

    /** Refuses to let the slot move while anything before that place is not published or not in the position. */
    void requireCovered(Lsn place, Position position) {
        if (unsettled != 0) {
            throw fault(place, unsettled + " rows before it are not published");
        }
        if (position.ack().isBefore(place)) {
            throw fault(place, "the position allows " + position.ack());
        }
    }

    private static IllegalStateException fault(Lsn place, String why) {
        return new IllegalStateException("the slot was about to move to " + place + ", but " + why
                + "; this is a fault of the relay, which begins anew and acknowledges nothing");
    }
}
