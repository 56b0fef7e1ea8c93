package dev.posthaste.relay;

import java.sql.SQLException;
import java.util.Optional;
import java.util.UUID;

import dev.posthaste.relay.publishing.Position;
import dev.posthaste.relay.source.Lsn;
import dev.posthaste.relay.source.SlotState;
import dev.posthaste.relay.source.SourceDatabase;

/** Reads what {@link Gap} decides on. */
public final class GapCheck {

    private GapCheck() {}

    /**
     * Looks for a gap between the position and what the database would send.
     *
     * @param found the slot; read before the position where a relay may be streaming
     * @return where the stream will begin
     * @throws HaltException naming the gap
     */
    public static Lsn refuse(String slot, Optional<SlotState> found, Position position, SourceDatabase database)
            throws SQLException, HaltException {
        UUID last = position.lastMessageId();
        boolean lastIsKnown = last == null || database.hasEvidence(slot, position.batch()) || database.hasMessage(last);
        Lsn begin = Gap.refuse(slot, found, position, database.identity());
        Gap.refuseRestored(position, database.walEnd(), lastIsKnown);
        return begin;
    }
}
