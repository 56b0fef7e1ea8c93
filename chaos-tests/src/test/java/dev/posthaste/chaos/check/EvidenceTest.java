package dev.posthaste.chaos.check;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.UnaryOperator;

import org.junit.jupiter.api.Test;

import dev.posthaste.chaos.history.Entry;

import static dev.posthaste.chaos.check.Story.SEARCH;
import static org.assertj.core.api.Assertions.assertThat;

/** Evidence, stale writes and the slot. */
class EvidenceTest {

    private final Story story = Story.healthy();
    private final int batches = story.of(Entry.Batch.class).size();
    private final long firstOfSecondLeader = story.of(Entry.Batch.class).stream()
            .filter(batch -> batch.fence() > 1)
            .mapToLong(Entry.Batch::batch)
            .min()
            .orElseThrow();

    @Test
    void aPublishedMessageInNoBatchHasNoEvidence() {
        UUID id = story.message(Story.PLAIN).id();
        change(batchOf(id), batch -> ids(batch, without(batch, id)));

        assertThat(story.broken()).containsExactly(Invariant.EVIDENCE);
    }

    @Test
    void aMarkerInNoBatchHasNoEvidence() {
        UUID id = story.message(Story.WITH_REFUSED).id();
        change(batchOf(id), batch -> ids(batch, without(batch, id)));

        assertThat(story.broken()).containsExactly(Invariant.EVIDENCE);
    }

    @Test
    void aMessageInTwoBatchesIsProvedTwice() {
        UUID id = story.message(Story.PLAIN).id();
        change(batches, batch -> ids(batch, with(batch, id)));

        assertThat(story.broken()).containsExactly(Invariant.EVIDENCE);
    }

    @Test
    void aMessageTwiceInOneBatchIsProvedTwice() {
        UUID id = story.message(Story.PLAIN).id();
        change(batchOf(id), batch -> ids(batch, with(batch, id)));

        assertThat(story.broken()).containsExactly(Invariant.EVIDENCE);
    }

    @Test
    void evidenceOfWhatIsOnNoTopicIsFound() {
        change(
                3,
                batch -> ids(batch, with(batch, story.message(Story.ROLLED_BACK).id())));

        assertThat(story.broken()).containsExactly(Invariant.EVIDENCE);
    }

    @Test
    void evidenceOfAMessageThatIsSetAsideForEverybodyIsFine() {
        UUID id = story.message(Story.WITH_REFUSED).id();
        story.without(Entry.Published.class, Entry.Published::marker)
                .without(Entry.DeadLetter.class, letter -> id.equals(letter.id()))
                .with(new Entry.Quarantined(id, "*", "quarantined", "unknown type"));

        assertThat(story.broken()).isEmpty();
    }

    @Test
    void aNumberThatIsGivenOutTwiceIsFound() {
        change(5, batch -> new Entry.Batch(4, batch.fence(), batch.completedAt(), batch.ids()));

        assertThat(story.broken()).containsExactly(Invariant.EVIDENCE);
    }

    @Test
    void aNumberThatIsMissingWithinAFenceIsFound() {
        story.change(
                Entry.Batch.class,
                batch -> batch.batch() > firstOfSecondLeader + 1,
                batch -> new Entry.Batch(batch.batch() + 1, batch.fence(), batch.completedAt(), batch.ids()));

        assertThat(story.broken()).containsExactly(Invariant.EVIDENCE);
    }

    @Test
    void aLeaderThatProvesTheLastBatchUnderTheNextNumberHasRepaired() {
        shiftSecondLeader(1);

        assertThat(story.broken()).isEmpty();
    }

    @Test
    void moreNumbersMissingThanThereWereLeadersAreFound() {
        shiftSecondLeader(3);

        assertThat(story.broken()).containsExactly(Invariant.EVIDENCE);
    }

    @Test
    void aPromotedDatabaseMayLackTheEvidenceOfManyBatches() {
        shiftSecondLeader(3);
        story.expecting(new Entry.Expected(null, true));

        assertThat(story.broken()).isEmpty();
    }

    @Test
    void whatADatabaseForgotNeedsNoEvidence() {
        UUID id = story.message(Story.PLAIN).id();
        story.expecting(new Entry.Expected(null, true))
                .without(Entry.Stored.class, row -> row.id().getMostSignificantBits() == Story.PLAIN);
        change(batchOf(id), batch -> ids(batch, without(batch, id)));

        assertThat(story.broken()).isEmpty();
    }

    @Test
    void whatADatabaseThatMayLoseCommitsHasNeedsItsEvidence() {
        UUID id = story.message(Story.PLAIN).id();
        story.expecting(new Entry.Expected(null, true));
        change(batchOf(id), batch -> ids(batch, without(batch, id)));

        assertThat(story.broken()).containsExactly(Invariant.EVIDENCE);
    }

    @Test
    void aRelayThatHaltedMayLeaveItsLastBatchUnproved() {
        story.halting("EVIDENCE_INCOMPLETE").without(Entry.Batch.class, batch -> batch.batch() == batches);

        assertThat(story.broken()).isEmpty();
    }

    @Test
    void aRelayThatHaltedLeavesNothingUnprovedBeforeWhatIsProved() {
        UUID id = story.message(Story.PLAIN).id();
        story.halting("EVIDENCE_INCOMPLETE");
        change(batchOf(id), batch -> ids(batch, without(batch, id)));

        assertThat(story.broken()).containsExactly(Invariant.EVIDENCE);
    }

    @Test
    void aFenceThatDecreasesAlongTheNumbersIsAStaleWrite() {
        Instant first = story.only(Entry.Batch.class, batch -> batch.batch() == firstOfSecondLeader)
                .completedAt();
        change(firstOfSecondLeader + 1, batch -> new Entry.Batch(batch.batch(), 2, first.minusMillis(1), batch.ids()));

        assertThat(story.broken()).containsExactly(Invariant.STALE_WRITE);
    }

    @Test
    void aBatchCompletedUnderALowerFenceAfterOneOfAHigherIsAStaleWrite() {
        Instant first = story.only(Entry.Batch.class, batch -> batch.batch() == firstOfSecondLeader)
                .completedAt();
        change(
                firstOfSecondLeader - 1,
                batch -> new Entry.Batch(batch.batch(), batch.fence(), first.plusMillis(1), batch.ids()));

        assertThat(story.broken()).containsExactly(Invariant.STALE_WRITE);
    }

    @Test
    void aBatchCompletedUnderALowerFenceInTheSameInstantIsNoStaleWrite() {
        Instant first = story.only(Entry.Batch.class, batch -> batch.batch() == firstOfSecondLeader)
                .completedAt();
        change(firstOfSecondLeader - 1, batch -> new Entry.Batch(batch.batch(), batch.fence(), first, batch.ids()));

        assertThat(story.broken()).isEmpty();
    }

    @Test
    void aFenceAboveThatOfTheLeaseIsAStaleWrite() {
        change(batches, batch -> new Entry.Batch(batch.batch(), 4, batch.completedAt(), batch.ids()));

        assertThat(story.broken()).containsExactly(Invariant.STALE_WRITE);
    }

    @Test
    void aSlotPastWhatWaitsIsFoundWhereTheRelayIsToHalt() {
        story.halting("POSITION_MISSING").withoutTrace(story.message(Story.LAST).id());

        assertThat(story.broken()).containsExactly(Invariant.SLOT_PAST_UNPUBLISHED);
    }

    @Test
    void aSlotThatSomebodyElseMovesIsNoFaultOfTheRelayThatHaltsForIt() {
        story.halting("SLOT_BEYOND_ACK").withoutTrace(story.message(Story.LAST).id());

        assertThat(story.broken()).isEmpty();
    }

    @Test
    void aSlotPastAMessageThatIsLostIsFoundAsWell() {
        story.withoutTraceAt(SEARCH, story.message(Story.PLAIN).id());

        assertThat(story.broken()).containsExactlyInAnyOrder(Invariant.LOST, Invariant.SLOT_PAST_UNPUBLISHED);
    }

    @Test
    void aSlotPastARefusedMessageThatIsNotSetAsideIsFound() {
        UUID id = story.message(Story.WITH_REFUSED).id();
        story.without(
                Entry.Quarantined.class,
                row -> row.id().equals(id) && row.handler().equals(SEARCH));

        assertThat(story.broken()).containsExactlyInAnyOrder(Invariant.LOST, Invariant.SLOT_PAST_UNPUBLISHED);
    }

    @Test
    void placesInTheWalAreComparedAsNumbers() {
        assertThat(Story.lsn(Story.BEFORE_FAULT)).startsWith("1/");
        assertThat(Story.lsn(Story.PLAIN)).startsWith("0/F");
        story.halting("SLOT_MISSING")
                .withoutTrace(story.message(Story.PLAIN).id())
                .slotBefore(Story.BEFORE_FAULT);

        assertThat(story.broken()).contains(Invariant.SLOT_PAST_UNPUBLISHED);
    }

    private void shiftSecondLeader(int by) {
        story.change(
                Entry.Batch.class,
                batch -> batch.batch() >= firstOfSecondLeader,
                batch -> new Entry.Batch(batch.batch() + by, batch.fence(), batch.completedAt(), batch.ids()));
    }

    private void change(long batch, UnaryOperator<Entry.Batch> how) {
        story.change(Entry.Batch.class, one -> one.batch() == batch, how);
    }

    private long batchOf(UUID id) {
        return story.only(Entry.Batch.class, batch -> batch.ids().contains(id)).batch();
    }

    private static Entry.Batch ids(Entry.Batch batch, List<UUID> ids) {
        return new Entry.Batch(batch.batch(), batch.fence(), batch.completedAt(), ids);
    }

    private static List<UUID> with(Entry.Batch batch, UUID id) {
        List<UUID> ids = new ArrayList<>(batch.ids());
        ids.add(id);
        return ids;
    }

    private static List<UUID> without(Entry.Batch batch, UUID id) {
        return batch.ids().stream().filter(other -> !other.equals(id)).toList();
    }
}
