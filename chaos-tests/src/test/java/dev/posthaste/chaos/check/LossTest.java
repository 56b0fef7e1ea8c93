package dev.posthaste.chaos.check;

import java.util.UUID;

import org.junit.jupiter.api.Test;

import dev.posthaste.chaos.history.Entry;

import static dev.posthaste.chaos.check.Story.LEDGER;
import static dev.posthaste.chaos.check.Story.MAILER;
import static dev.posthaste.chaos.check.Story.SEARCH;
import static org.assertj.core.api.Assertions.assertThat;

class LossTest {

    private final Story story = Story.healthy();

    @Test
    void aMessageOnOneTopicOnlyIsLost() {
        UUID id = story.message(Story.PLAIN).id();
        story.slotBefore(Story.PLAIN).withoutTraceAt(LEDGER, id).withoutTraceAt(SEARCH, id);

        assertThat(story.broken()).containsExactly(Invariant.LOST);
        assertThat(story.verdict().findings())
                .extracting(Finding::what)
                .containsExactly(
                        "a committed message is not on the topic of handler ledger",
                        "a committed message is not on the topic of handler search");
    }

    @Test
    void aMessageOnNoTopicIsLost() {
        story.slotBefore(Story.PLAIN).withoutTrace(story.message(Story.PLAIN).id());

        assertThat(story.broken()).containsExactly(Invariant.LOST);
    }

    @Test
    void aMessageOfAnUnknownTransactionThatIsStoredIsLostLikeAnyOther() {
        story.withoutTrace(story.message(Story.UNKNOWN_STORED).id());

        assertThat(story.broken()).containsExactly(Invariant.LOST);
    }

    @Test
    void aTransactionThatNobodyWasLeftToTellOfIsAnUnknownOne() {
        story.without(Entry.Outcome.class, outcome -> outcome.tx() == Story.UNKNOWN_STORED)
                .without(Entry.Outcome.class, outcome -> outcome.tx() == Story.UNKNOWN_NOT_STORED);

        assertThat(story.broken()).isEmpty();
    }

    @Test
    void aMessageThatIsSetAsideThoughNothingIsWrongWithItIsLost() {
        UUID id = story.message(Story.PLAIN).id();
        story.withoutTraceAt(MAILER, id).with(new Entry.Quarantined(id, MAILER, "quarantined", "topic closed"));

        assertThat(story.broken()).containsExactly(Invariant.LOST);
        assertThat(story.verdict().findings().get(0).what()).contains("set aside");
    }

    @Test
    void aMarkerIsNoMessage() {
        UUID id = story.message(Story.PLAIN).id();
        story.withoutTraceAt(LEDGER, id).with(story.record(LEDGER, story.message(Story.PLAIN), Story.PLAIN, true));

        assertThat(story.broken()).contains(Invariant.LOST);
    }

    @Test
    void whereTheRelayIsToHaltWhatIsStoredMayWait() {
        story.halting("SLOT_MISSING")
                .withoutTrace(story.message(Story.LAST).id())
                .slotBefore(Story.LAST);

        assertThat(story.broken()).isEmpty();
    }

    @Test
    void whereTheRelayIsToHaltACopyWithoutTheOthersDoesNotWait() {
        story.halting("SLOT_MISSING")
                .withoutTraceAt(SEARCH, story.message(Story.LAST).id())
                .slotBefore(Story.LAST);

        assertThat(story.broken()).containsExactly(Invariant.LOST);
    }

    @Test
    void whereTheRelayIsToHaltWhatIsNeitherStoredNorPublishedIsLost() {
        UUID id = story.message(Story.LAST).id();
        story.halting("SLOT_MISSING").withoutTrace(id).without(Entry.Stored.class, row -> row.id()
                .equals(id));

        assertThat(story.broken()).containsExactly(Invariant.LOST);
    }

    @Test
    void aCommittedMessageThatTheDatabaseDoesNotHaveIsLostByIt() {
        UUID id = story.message(Story.PLAIN).id();
        story.without(Entry.Stored.class, row -> row.id().equals(id));

        assertThat(story.broken()).containsExactly(Invariant.LOST);
        assertThat(story.verdict().findings().get(0).what()).isEqualTo("the database has lost a committed message");
    }

    @Test
    void aDatabaseThatMayLoseCommitsLosesNothingIfItLosesThemWhole() {
        story.expecting(new Entry.Expected(null, true))
                .without(Entry.Stored.class, row -> row.id().getMostSignificantBits() == Story.LAST);

        assertThat(story.broken()).isEmpty();
    }

    @Test
    void aDatabaseThatMayLoseCommitsMayLoseUnpublishedOnes() {
        story.expecting(new Entry.Expected(null, true))
                .without(Entry.Stored.class, row -> row.id().getMostSignificantBits() == Story.PLAIN);
        story.only(Entry.Intent.class, intent -> intent.tx() == Story.PLAIN)
                .messages()
                .forEach(message -> story.withoutTrace(message.id()));

        assertThat(story.broken()).isEmpty();
    }

    @Test
    void whatADatabaseThatMayLoseCommitsHasIsToBePublished() {
        story.expecting(new Entry.Expected(null, true))
                .slotBefore(Story.PLAIN)
                .withoutTrace(story.message(Story.PLAIN).id());

        assertThat(story.broken()).containsExactly(Invariant.LOST);
    }

    @Test
    void aDatabaseThatMayLoseCommitsMayNotTearThem() {
        UUID id = story.message(Story.PLAIN).id();
        story.expecting(new Entry.Expected(null, true))
                .without(Entry.Stored.class, row -> row.id().equals(id));

        assertThat(story.broken()).containsExactly(Invariant.LOST);
    }

    @Test
    void anUnknownTransactionThatIsStoredInPartIsTorn() {
        UUID id = story.message(Story.UNKNOWN_STORED).id();
        story.without(Entry.Stored.class, row -> row.id().equals(id));

        assertThat(story.broken()).containsExactly(Invariant.LOST);
        assertThat(story.verdict().findings().get(0).what()).contains("only a part");
    }

    @Test
    void aRefusedMessageThatIsNotSetAsideForAHandlerIsLost() {
        UUID id = story.message(Story.WITH_REFUSED).id();
        story.without(
                Entry.Quarantined.class,
                row -> row.id().equals(id) && row.handler().equals(SEARCH));

        assertThat(story.broken()).contains(Invariant.LOST);
        assertThat(story.verdict().findings())
                .extracting(Finding::what)
                .contains("a refused message is not set aside for handler search");
    }

    @Test
    void aRefusedMessageMayBeSetAsideForAllHandlersAtOnce() {
        UUID id = story.message(Story.WITH_REFUSED).id();
        story.without(Entry.Quarantined.class, row -> row.id().equals(id))
                .with(new Entry.Quarantined(id, "*", "quarantined", "unknown type"));

        assertThat(story.broken()).isEmpty();
    }

    @Test
    void aMessageThatWasReleasedIsToBeThere() {
        UUID id = story.message(Story.WITH_REFUSED).id();
        story.slotBefore(Story.WITH_REFUSED)
                .change(
                        Entry.Quarantined.class,
                        row -> row.id().equals(id) && row.handler().equals(SEARCH),
                        row -> new Entry.Quarantined(id, SEARCH, "released", row.reason()));

        assertThat(story.broken()).containsExactly(Invariant.LOST);
    }
}
