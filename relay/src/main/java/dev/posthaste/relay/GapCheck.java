package dev.posthaste.relay;

import java.sql.SQLException;
import java.util.Optional;
import java.util.UUID;

import dev.posthaste.relay.publishing.Position;
import dev.posthaste.relay.source.Lsn;
import dev.posthaste.relay.source.SlotState;
import dev.posthaste.relay.source.SourceDatabase;
import dev.posthaste.relay.source.TimelineHistory;

/** Reads what {@link Gap} decides on. */
public final class GapCheck {

    private GapCheck() {}

    /**
     * Where streaming begins.
     *
     * @param position in this database and on its timeline
     * @param stream where the slot stands
     */
    public record Begin(Position position, Lsn stream) {}

    /**
     * Looks for a gap between the position and what the database would send.
     *
     * @param found the slot; read before the position where a relay may be streaming
     * @throws HaltException naming the gap
     */
    public static Begin refuse(
            RelaySettings settings, Optional<SlotState> found, Position position, SourceDatabase database)
            throws SQLException, HaltException {
        SourceDatabase.Identity identity = database.identity();
        Gap.refuseAnother(position, identity);
        boolean promoted = identity.timeline() > position.source().timeline();
        Position here = promoted
                ? Gap.afterPromotion(position, identity, TimelineHistory.read(settings.database(), identity.timeline()))
                : position;
        boolean proved = position.batch() == 0 || database.hasEvidence(settings.slot(), position.batch());
        Gap.refuseRestored(here, database.walEnd(), proved || hasLastMessage(here, database));
        Lsn begin = Gap.refuse(settings.slot(), found, here, identity);
        if (!proved) {
            refuseLostEvidence(here, database.lastBatch(settings.slot()), promoted);
        }
        return new Begin(here, begin);
    }

    /**
     * Evidence of a batch is written before the next batch is published. So more than one without it were written to
     * another copy of the database: a standby may be promoted, or a backup restored, that has the messages and not what
     * was written about them since. The stream gives back the evidence of the last batch only; and a standby that lacks
     * it may lack what was quarantined of that batch, too.
     */
    private static void refuseLostEvidence(Position position, long proved, boolean promoted) throws HaltException {
        boolean quarantineMayBeLost = promoted && position.withheld();
        if (proved + 1 < position.batch() || quarantineMayBeLost) {
            throw new HaltException(
                    HaltReason.Cause.EVIDENCE_INCOMPLETE,
                    "batches up to " + position.batch() + " are published, but evidence beyond batch " + proved
                            + " is missing" + (promoted ? ": it had not reached the server that is now promoted" : "")
                            + (quarantineMayBeLost ? ", nor may what was quarantined of it" : ""),
                    "put the evidence back, or run posthaste repair");
        }
    }

    private static boolean hasLastMessage(Position position, SourceDatabase database) throws SQLException {
        UUID last = position.lastMessageId();
        Position.InProgress inProgress = position.inProgress();
        return last == null || database.hasMessage(last, inProgress == null ? null : inProgress.xid());
    }
}
