package dev.posthaste.relay;

import java.util.Optional;

import org.junit.jupiter.api.Test;

import dev.posthaste.relay.publishing.Position;
import dev.posthaste.relay.source.Lsn;
import dev.posthaste.relay.source.SlotState;
import dev.posthaste.relay.source.SourceDatabase;

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
        assertThat(Gap.refuse("slot", Optional.of(behind), POSITION, DATABASE)).isEqualTo(new Lsn(450));
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
            new SourceDatabase.Identity("7", "library", 3)
        }) {
            assertHalted(HaltReason.Cause.POSITION_OF_ANOTHER_DATABASE, Optional.of(SLOT), other);
        }
    }

    private static HaltReason assertHalted(
            HaltReason.Cause cause, Optional<SlotState> slot, SourceDatabase.Identity database) {
        HaltException halt =
                catchThrowableOfType(HaltException.class, () -> Gap.refuse("slot", slot, POSITION, database));
        assertThat(halt.reason().cause()).isEqualTo(cause);
        assertThat(halt.reason().detail()).isNotBlank();
        assertThat(halt.reason().remedy()).isNotBlank();
        return halt.reason();
    }
}
