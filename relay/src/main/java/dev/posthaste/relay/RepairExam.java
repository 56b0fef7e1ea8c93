package dev.posthaste.relay;

import java.sql.SQLException;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import dev.posthaste.relay.publishing.Position;
import dev.posthaste.relay.publishing.PositionStore;
import dev.posthaste.relay.source.SlotState;
import dev.posthaste.relay.source.SourceDatabase;

/** Says what a repair would close, by what the relay itself refuses and by what a person says. Used by one thread. */
final class RepairExam {

    /** Not to be closed without somebody saying that this is the outbox all the same. */
    private static final Set<HaltReason.Cause> OTHER_DATABASE =
            EnumSet.of(HaltReason.Cause.POSITION_OF_ANOTHER_DATABASE, HaltReason.Cause.DATABASE_OLDER_THAN_POSITION);

    /** Not to be seen from position and slot, so somebody must say that a relay halted with it. */
    private static final Set<HaltReason.Cause> TOLD =
            EnumSet.of(HaltReason.Cause.EVIDENCE_INCOMPLETE, HaltReason.Cause.POSITION_UNREADABLE);

    private final RelaySettings settings;
    private final HaltReason.@Nullable Cause told;
    private final Consumer<String> report;

    /**
     * Prepares the examination.
     *
     * @throws IllegalArgumentException if {@code told} is a cause that is seen without being told
     */
    RepairExam(RelaySettings settings, HaltReason.@Nullable Cause told, Consumer<String> report) {
        if (told != null && !TOLD.contains(told)) {
            throw new IllegalArgumentException(
                    "repair sees " + told + " by itself; a cause is given for " + TOLD + " only");
        }
        this.settings = settings;
        this.told = told;
        this.report = report;
    }

    /** The gap; null: there is none. */
    @Nullable
    HaltReason gap(SourceDatabase database, Optional<SlotState> slot, Optional<Position> position) throws SQLException {
        if (position.isEmpty()) {
            return new HaltReason(
                    told == HaltReason.Cause.POSITION_UNREADABLE ? told : HaltReason.Cause.POSITION_MISSING,
                    "there is no position for slot " + settings.slot()
                            + (told == HaltReason.Cause.POSITION_UNREADABLE ? " that can be read" : ""),
                    "posthaste repair");
        }
        try {
            GapCheck.Begin unused = GapCheck.refuse(settings, slot, position.get(), database);
        } catch (HaltException e) {
            return e.reason();
        }
        return unproved(position.get(), database);
    }

    /**
     * A batch that lacks its evidence is no gap: a relay may find its messages where it streams from. To close it as
     * one is right all the same: what is on the topics is proved.
     */
    private @Nullable HaltReason unproved(Position position, SourceDatabase database) throws SQLException {
        if (position.batch() == 0 || database.hasEvidence(settings.slot(), position.batch())) {
            return null;
        }
        String detail = "batch " + position.batch() + " is published, but its evidence is missing";
        if (told == HaltReason.Cause.EVIDENCE_INCOMPLETE) {
            return new HaltReason(told, detail, "posthaste repair --cause " + told);
        }
        report.accept(detail + "; a relay completes it by itself, or halts with EVIDENCE_INCOMPLETE: then run"
                + " posthaste repair --cause EVIDENCE_INCOMPLETE");
        return null;
    }

    /** The position; none as well where it cannot be read, and that is what is to be repaired. */
    Optional<Position> readPosition() throws HaltException {
        try {
            return new PositionStore(settings.publisher()).read();
        } catch (IllegalArgumentException e) {
            if (told == HaltReason.Cause.POSITION_UNREADABLE) {
                return Optional.empty();
            }
            throw new HaltException(
                    HaltReason.Cause.POSITION_UNREADABLE,
                    String.valueOf(e.getMessage()),
                    "run the version that wrote it, or newer; if it is damaged, run posthaste repair --cause"
                            + " POSITION_UNREADABLE");
        }
    }

    /** Refuses what is not to be repaired, or not without a person saying so. */
    static void refuseUnlessRepairable(HaltReason gap, boolean anotherDatabase) throws HaltException {
        if (OTHER_DATABASE.contains(gap.cause()) && !anotherDatabase) {
            throw new HaltException(
                    gap.cause(),
                    gap.detail(),
                    "if this is the outbox after a restore, a failover or an upgrade, run posthaste position rebase");
        }
        if (gap.cause() == HaltReason.Cause.SLOT_OF_ANOTHER_PLUGIN) {
            throw new HaltException(gap);
        }
    }
}
