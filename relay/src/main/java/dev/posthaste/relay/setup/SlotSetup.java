package dev.posthaste.relay.setup;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;

import dev.posthaste.relay.source.DatabaseSettings;
import dev.posthaste.relay.source.Lsn;
import dev.posthaste.relay.source.NewSlot;
import dev.posthaste.relay.source.SlotState;
import dev.posthaste.relay.source.SourceDatabase;

/**
 * Makes the replication slot, in a step of its own: a slot cannot be made in a transaction that has written. A slot
 * sees nothing from before its making, so the messages of before are counted in the very snapshot it begins with.
 */
public final class SlotSetup {

    private final DatabaseSettings database;
    private final String slot;

    /** Works on that slot; its name must be checked before. */
    public SlotSetup(DatabaseSettings database, String slot) {
        this.database = database;
        this.slot = slot;
    }

    /** What stands after the step. */
    public record Made(StepResult result, Lsn confirmed, SourceDatabase.Identity identity) {}

    /**
     * Makes the slot where there is none.
     *
     * @param positionExists whether a position of this slot was ever written: then a new slot would hide a gap
     * @param leaveEarlier whether messages staged before the slot may be left unpublished
     */
    public Made make(boolean positionExists, boolean leaveEarlier) throws SQLException, SetupException {
        try (Connection connection = database.connect("posthaste-init")) {
            SourceDatabase source = new SourceDatabase(connection);
            Optional<SlotState> found = source.slot(slot);
            if (found.isPresent()) {
                SlotState state = found.get();
                Lsn confirmed = state.confirmed();
                if (confirmed == null || !state.isUsable()) {
                    throw new SetupException("slot " + slot
                            + " is there, but the server has invalidated it (wal_status " + state.walStatus()
                            + "); see the runbook for invalidated slots before dropping it");
                }
                return new Made(StepResult.there("slot " + slot + " at " + confirmed), confirmed, source.identity());
            }
            if (positionExists) {
                throw new SetupException(
                        "slot " + slot + " is missing, but the position topic knows it: messages committed since"
                                + " would be lost by a new slot. See the runbook for missing slots");
            }
            Lsn confirmed = create(leaveEarlier);
            return new Made(StepResult.made("slot " + slot + " at " + confirmed), confirmed, source.identity());
        }
    }

    private Lsn create(boolean leaveEarlier) throws SQLException, SetupException {
        try (NewSlot made = NewSlot.make(database, slot)) {
            long earlier = pendingIn(made);
            if (earlier > 0 && !leaveEarlier) {
                made.drop();
                throw new SetupException(
                        earlier + " messages were staged before there was a slot; a slot sees nothing of before and"
                                + " they would never be published. Delete them, or leave them unpublished with --leave-earlier");
            }
            return made.consistentPoint();
        }
    }

    private long pendingIn(NewSlot made) throws SQLException {
        try (Connection connection = database.connect("posthaste-init")) {
            made.beginSnapshot(connection);
            try (PreparedStatement count =
                            connection.prepareStatement("SELECT messages FROM outbox.pending_summary()");
                    ResultSet row = count.executeQuery()) {
                row.next();
                return row.getLong(1);
            } finally {
                connection.rollback();
            }
        }
    }
}
