package dev.posthaste.relay;

import java.util.Optional;

import dev.posthaste.relay.publishing.Position;
import dev.posthaste.relay.source.Lsn;
import dev.posthaste.relay.source.SlotState;
import dev.posthaste.relay.source.SourceDatabase;

/**
 * Tells whether everything between the position and the slot will be sent. Pure: looks at what was read, decides, and
 * names it.
 */
public final class Gap {

    private Gap() {}

    /**
     * Looks for a gap.
     *
     * @param slot name of the slot
     * @return the slot's confirmed position, where the stream will begin
     * @throws HaltException naming the gap
     */
    public static Lsn refuse(
            String slot, Optional<SlotState> found, Position position, SourceDatabase.Identity database)
            throws HaltException {
        if (!position.source().systemIdentifier().equals(database.systemIdentifier())
                || !position.source().database().equals(database.database())) {
            throw new HaltException(
                    HaltReason.Cause.POSITION_OF_ANOTHER_DATABASE,
                    "the position is of " + position.source() + ", but this is " + database,
                    "point the relay at the right database, or see the runbook for restores");
        }
        if (position.source().timeline() != database.timeline()) {
            throw new HaltException(
                    HaltReason.Cause.POSITION_OF_ANOTHER_DATABASE,
                    "the position is of timeline " + position.source().timeline() + ", but the server writes timeline "
                            + database.timeline() + ": it was promoted or restored",
                    "see the runbook for failovers and restores");
        }
        SlotState state = found.orElseThrow(() -> new HaltException(
                HaltReason.Cause.SLOT_MISSING,
                "there is no slot " + slot + " in database " + database.database(),
                "messages committed since the position " + position.lastCommit()
                        + " would be missed by a new one; see the runbook before making it"));
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
                    "see the runbook; do not drop the slot yet");
        }
        if (position.ack().isBefore(confirmed)) {
            throw new HaltException(
                    HaltReason.Cause.SLOT_BEYOND_ACK,
                    "slot " + slot + " stands at " + confirmed + ", but was allowed to move to " + position.ack()
                            + " only: it was recreated or advanced by somebody else",
                    "what lies between was skipped; see the runbook");
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
                                    + " was published last, but the database has neither it" + " nor its evidence",
                    "the database was restored from an older backup, or a standby was promoted that lacked the newest"
                            + " transactions; run posthaste position rebase");
        }
    }
}
