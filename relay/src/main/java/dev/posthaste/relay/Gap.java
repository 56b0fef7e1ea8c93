package dev.posthaste.relay;

import java.util.Optional;

import dev.posthaste.relay.publishing.Position;
import dev.posthaste.relay.source.Lsn;
import dev.posthaste.relay.source.SlotState;
import dev.posthaste.relay.source.SourceDatabase;
import dev.posthaste.relay.source.TimelineHistory;

/**
 * Tells whether everything between the position and the slot will be sent. Pure: looks at what was read, decides, and
 * names it.
 */
public final class Gap {

    private Gap() {}

    /** What to do with a database that lacks what was published. */
    static final String RESTORED =
            "the database was restored from an older backup, or a standby was promoted that lacked the newest"
                    + " transactions; run posthaste position rebase";

    /** Refuses a position of another database, and one of a timeline that this server does not know yet. */
    static void refuseAnother(Position position, SourceDatabase.Identity database) throws HaltException {
        if (!position.source().isSameDatabaseAs(database)) {
            throw new HaltException(
                    HaltReason.Cause.POSITION_OF_ANOTHER_DATABASE,
                    "the position is of " + position.source() + ", but this is " + database,
                    "point the relay at the right database, or see the runbook for restores");
        }
        if (database.timeline() < position.source().timeline()) {
            throw new HaltException(
                    HaltReason.Cause.POSITION_OF_ANOTHER_DATABASE,
                    "the position is of timeline " + position.source().timeline() + ", but the server writes timeline "
                            + database.timeline() + ", which is older: it is a former primary, or was restored",
                    "point the relay at the server that was promoted, or see the runbook for restores");
        }
    }

    /**
     * Takes a position over to the timeline of a server that was promoted, if all that was published had reached that
     * server before.
     *
     * @throws HaltException if it had not, or if the server never was a copy of the one the position is of
     */
    static Position afterPromotion(Position position, SourceDatabase.Identity database, TimelineHistory history)
            throws HaltException {
        long timeline = position.source().timeline();
        Lsn end = history.endOf(timeline)
                .orElseThrow(() -> new HaltException(
                        HaltReason.Cause.POSITION_OF_ANOTHER_DATABASE,
                        "the position is of timeline " + timeline + ", but the server writes timeline "
                                + database.timeline() + ", which did not come from it: it was restored",
                        "see the runbook for failovers and restores"));
        if (end.isBefore(position.lastCommit())) {
            throw new HaltException(
                    HaltReason.Cause.DATABASE_OLDER_THAN_POSITION,
                    "the server left timeline " + timeline + " at " + end + " for timeline " + database.timeline()
                            + ", but messages up to " + position.lastCommit() + " were published from it",
                    RESTORED);
        }
        return position.promoted(database, end);
    }

    /**
     * Looks for a gap between the position and the slot.
     *
     * @param slot name of the slot
     * @return the slot's confirmed position, where the stream will begin
     * @throws HaltException naming the gap
     */
    static Lsn refuse(String slot, Optional<SlotState> found, Position position, SourceDatabase.Identity database)
            throws HaltException {
        SlotState state = found.orElseThrow(() -> new HaltException(
                HaltReason.Cause.SLOT_MISSING,
                "there is no slot " + slot + " in database " + database.database(),
                "messages committed since the position " + position.lastCommit()
                        + " would be missed by a new one; run posthaste repair"));
        if (!state.plugin().equals("pgoutput")) {
            throw new HaltException(
                    HaltReason.Cause.SLOT_OF_ANOTHER_PLUGIN,
                    "slot " + slot + " uses the plugin " + state.plugin() + ", but the relay reads pgoutput",
                    "give the relay a slot of its own");
        }
        Lsn confirmed = state.confirmed();
        if (!state.isUsable() || confirmed == null) {
            throw new HaltException(
                    HaltReason.Cause.SLOT_INVALIDATED,
                    "slot " + slot + " has wal_status " + state.walStatus() + ", invalidation_reason "
                            + state.invalidationReason() + ": the server no longer holds its WAL",
                    "run posthaste repair");
        }
        if (position.ack().isBefore(confirmed)) {
            throw new HaltException(
                    HaltReason.Cause.SLOT_BEYOND_ACK,
                    "slot " + slot + " stands at " + confirmed + ", but was allowed to move to " + position.ack()
                            + " only: it was recreated or advanced by somebody else",
                    "what lies between was skipped; run posthaste repair");
        }
        if (position.inProgress() == null && confirmed.isBefore(position.lastCommit())) {
            throw new HaltException(
                    HaltReason.Cause.DATABASE_OLDER_THAN_POSITION,
                    "slot " + slot + " stands at " + confirmed + ", but the one that the position knows was made at "
                            + position.lastCommit(),
                    RESTORED);
        }
        return confirmed;
    }

    /**
     * Looks whether the database is older than the position: then new messages may lie below the position and would be
     * taken for published.
     *
     * @param walEnd where the server writes now
     * @param lastIsKnown whether the database has the message published last, or its evidence
     * @throws HaltException if it is
     */
    static void refuseRestored(Position position, Lsn walEnd, boolean lastIsKnown) throws HaltException {
        if (walEnd.isBefore(position.lastCommit()) || !lastIsKnown) {
            throw new HaltException(
                    HaltReason.Cause.DATABASE_OLDER_THAN_POSITION,
                    lastIsKnown
                            ? "the server writes at " + walEnd + ", but messages up to " + position.lastCommit()
                                    + " were published"
                            : "message " + position.lastMessageId()
                                    + " was published last, but the database has neither it nor its evidence",
                    RESTORED);
        }
    }
}
