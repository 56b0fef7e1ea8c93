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
        if (promoted && !proved) {
            refuseLostEvidence(here, database.lastBatch(settings.slot()));
        }
        return new Begin(here, begin);
    }

    /**
     * A standby may be promoted that has the messages, but not all that was written about them since. Only the last
     * batch's evidence is written again from the stream; and not where a row of the quarantine may be lost with it.
     */
    private static void refuseLostEvidence(Position position, long proved) throws HaltException {
        if (proved + 1 < position.batch() || position.withheld()) {
            throw new HaltException(
                    HaltReason.Cause.EVIDENCE_INCOMPLETE,
                    "batches up to " + position.batch() + " are published, but evidence beyond batch " + proved
                            + " had not reached the server that is now promoted"
                            + (position.withheld() ? ", nor may what was quarantined of them" : ""),
                    "run posthaste repair");
        }
    }

    private static boolean hasLastMessage(Position position, SourceDatabase database) throws SQLException {
        UUID last = position.lastMessageId();
        Position.InProgress inProgress = position.inProgress();
        return last == null || database.hasMessage(last, inProgress == null ? null : inProgress.xid());
    }
}
