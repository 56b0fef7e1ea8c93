package dev.posthaste.relay;

import java.util.Optional;
import java.util.UUID;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

import dev.posthaste.relay.publishing.Position;
import dev.posthaste.relay.source.Lsn;
import dev.posthaste.relay.source.SlotState;
import dev.posthaste.relay.source.SourceDatabase;
import dev.posthaste.relay.source.TimelineHistory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

class GapTest {

    private static final SourceDatabase.Identity DATABASE = new SourceDatabase.Identity("7", "library", 2);
    private static final Lsn CONFIRMED = new Lsn(500);
    private static final Position POSITION = Position.first(DATABASE, CONFIRMED);
    private static final SlotState SLOT = slot("pgoutput", CONFIRMED, "reserved", null);

    private static SlotState slot(String plugin, Lsn confirmed, String walStatus, String invalidation) {
        return new SlotState(plugin, confirmed, new Lsn(400), null, walStatus, invalidation, 100);
    }

    @Test
    void aSlotAtThePositionsAckIsNoGap() throws HaltException {
        assertThat(Gap.refuse("slot", Optional.of(SLOT), POSITION, DATABASE)).isEqualTo(CONFIRMED);
    }

    @Test
    void neitherIsASlotBehindIt() throws HaltException {
        SlotState behind = slot("pgoutput", new Lsn(450), "unreserved", null);
        Position published = new Position(
                DATABASE, 1, 1, 1, CONFIRMED, new Position.InProgress(3, 1), CONFIRMED, new UUID(0, 1), false);
        assertThat(Gap.refuse("slot", Optional.of(behind), published, DATABASE)).isEqualTo(new Lsn(450));
    }

    @Test
    void aMissingSlotIs() {
        assertHalted(HaltReason.Cause.SLOT_MISSING, Optional.empty(), DATABASE);
    }

    @Test
    void aSlotBeyondTheAckIs() {
        SlotState beyond = slot("pgoutput", new Lsn(501), "reserved", null);
        assertHalted(HaltReason.Cause.SLOT_BEYOND_ACK, Optional.of(beyond), DATABASE);
    }

    @Test
    void aLostSlotIs() {
        SlotState lost = slot("pgoutput", CONFIRMED, "lost", null);
        assertHalted(HaltReason.Cause.SLOT_INVALIDATED, Optional.of(lost), DATABASE);
    }

    @Test
    void anInvalidatedSlotIs() {
        SlotState invalidated = slot("pgoutput", CONFIRMED, "reserved", "idle_timeout");
        HaltReason reason = assertHalted(HaltReason.Cause.SLOT_INVALIDATED, Optional.of(invalidated), DATABASE);
        assertThat(reason.detail()).contains("idle_timeout");
    }

    @Test
    void aSlotWithoutConfirmedPositionIs() {
        SlotState unusable = slot("pgoutput", null, "reserved", null);
        assertHalted(HaltReason.Cause.SLOT_INVALIDATED, Optional.of(unusable), DATABASE);
    }

    @Test
    void aSlotOfAnotherPluginIs() {
        SlotState other = slot("test_decoding", CONFIRMED, "reserved", null);
        assertHalted(HaltReason.Cause.SLOT_OF_ANOTHER_PLUGIN, Optional.of(other), DATABASE);
    }

    @Test
    void anotherSystemAnotherDatabaseAndAnotherTimelineAre() {
        for (SourceDatabase.Identity other : new SourceDatabase.Identity[] {
            new SourceDatabase.Identity("8", "library", 2),
            new SourceDatabase.Identity("7", "other", 2),
            new SourceDatabase.Identity("7", "library", 1)
        }) {
            assertHalted(HaltReason.Cause.POSITION_OF_ANOTHER_DATABASE, () -> Gap.refuseAnother(POSITION, other));
        }
    }

    @Test
    void aServerPromotedBehindThePositionTakesItOverAndAllowsTheSlotNoFurtherThanWhereItParted() throws HaltException {
        SourceDatabase.Identity promoted = new SourceDatabase.Identity("7", "library", 3);
        Position ahead = POSITION.acknowledging(1, new Lsn(900));

        Position there = Gap.afterPromotion(ahead, promoted, history("1\t0/64\tx\n2\t0/258\tx\n"));

        assertThat(there.source()).isEqualTo(promoted);
        assertThat(there.lastCommit()).isEqualTo(CONFIRMED);
        assertThat(there.ack()).isEqualTo(new Lsn(0x258));
        assertThat(Gap.afterPromotion(POSITION, promoted, history("2\t0/258\tx"))
                        .ack())
                .isEqualTo(CONFIRMED);
    }

    @Test
    void aServerPromotedBeforeThePositionLacksWhatWasPublished() {
        SourceDatabase.Identity promoted = new SourceDatabase.Identity("7", "library", 3);
        HaltReason reason = assertHalted(
                HaltReason.Cause.DATABASE_OLDER_THAN_POSITION,
                () -> Gap.afterPromotion(POSITION, promoted, history("1\t0/64\tx\n2\t0/1F3\tx")));
        assertThat(reason.detail()).contains("0/1F3", CONFIRMED.toString());
    }

    @Test
    void aServerThatCameFromAnotherTimelineIsAnother() {
        SourceDatabase.Identity restored = new SourceDatabase.Identity("7", "library", 3);
        assertHalted(
                HaltReason.Cause.POSITION_OF_ANOTHER_DATABASE,
                () -> Gap.afterPromotion(POSITION, restored, history("1\t0/FFFF\tx")));
    }

    @Test
    void aSlotBehindThePlaceWhereItWasMadeIsOfAnOlderCopy() {
        SlotState older = slot("pgoutput", new Lsn(499), "reserved", null);
        assertHalted(HaltReason.Cause.DATABASE_OLDER_THAN_POSITION, Optional.of(older), DATABASE);
    }

    private static TimelineHistory history(String file) {
        return TimelineHistory.parse(file);
    }

    private static HaltReason assertHalted(
            HaltReason.Cause cause, Optional<SlotState> slot, SourceDatabase.Identity database) {
        return assertHalted(cause, () -> Gap.refuse("slot", slot, POSITION, database));
    }

    private static HaltReason assertHalted(HaltReason.Cause cause, ThrowingCallable refusing) {
        HaltException halt = catchThrowableOfType(HaltException.class, refusing);
        assertThat(halt.reason().cause()).isEqualTo(cause);
        assertThat(halt.reason().detail()).isNotBlank();
        assertThat(halt.reason().remedy()).isNotBlank();
        return halt.reason();
    }
}
