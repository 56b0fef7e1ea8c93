package dev.posthaste.chaos.check;

import java.util.UUID;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import dev.posthaste.chaos.history.Entry;

import static dev.posthaste.chaos.check.Story.LEDGER;
import static dev.posthaste.chaos.check.Story.MAILER;
import static dev.posthaste.chaos.check.Story.SEARCH;
import static org.assertj.core.api.Assertions.assertThat;

/** Each test plants something that is to be an aborted read and nothing else. */
class AbortedReadTest {

    private final Story story = Story.healthy();

    @AfterEach
    void itIsAnAbortedReadAndNothingElse() {
        assertThat(story.broken()).containsExactly(Invariant.ABORTED_READ);
    }

    @Test
    void aRecordOfARolledBackTransactionIsAnAbortedRead() {
        story.with(story.record(SEARCH, story.message(Story.ROLLED_BACK), Story.ROLLED_BACK, false));
    }

    @Test
    void aRecordOfARolledBackSavepointIsAnAbortedRead() {
        Entry.Staged undone = story.firstMessage(Story.WITH_SAVEPOINT);
        assertThat(undone.undone()).isTrue();
        story.with(story.record(LEDGER, undone, Story.WITH_SAVEPOINT, false));
    }

    @Test
    void aRecordOfAnUnknownTransactionThatIsNotStoredIsAnAbortedRead() {
        story.with(story.record(MAILER, story.message(Story.UNKNOWN_NOT_STORED), Story.UNKNOWN_NOT_STORED, false));
    }

    @Test
    void aRecordThatNobodyStagedIsAnAbortedRead() {
        Entry.Staged fabricated = new Entry.Staged(new UUID(77, 7777), "key-1", 1, "sha", false, false);
        story.with(story.record(SEARCH, fabricated, Story.PLAIN, false));
    }

    @Test
    void aRecordWhoseIdCannotBeReadIsAnAbortedRead() {
        Entry.Published record = story.record(SEARCH, story.message(Story.PLAIN), Story.PLAIN, false);
        story.with(new Entry.Published(
                SEARCH, record.partition(), record.offset(), null, record.key(), record.sha256(), false, record.at()));
    }

    @Test
    void aMarkerOfARolledBackMessageIsAnAbortedRead() {
        story.with(story.record(LEDGER, story.message(Story.ROLLED_BACK), Story.ROLLED_BACK, true));
    }

    @Test
    void aRefusedMessageThatIsPublishedIsAnAbortedRead() {
        story.with(story.record(SEARCH, story.message(Story.WITH_REFUSED), Story.WITH_REFUSED, false));
    }

    @Test
    void anEffectOfARolledBackMessageIsAnAbortedRead() {
        story.with(story.effect(LEDGER, story.message(Story.ROLLED_BACK), Story.ROLLED_BACK));
    }

    @Test
    void aCallOfARolledBackMessageIsAnAbortedRead() {
        story.with(new Entry.Call(
                MAILER, story.message(Story.ROLLED_BACK).id().toString(), true, Story.at(Story.ROLLED_BACK)));
    }

    @Test
    void aDeadLetterOfARolledBackMessageIsAnAbortedRead() {
        Entry.Staged message = story.message(Story.ROLLED_BACK);
        story.with(new Entry.DeadLetter(SEARCH, message.id(), message.sha256()));
    }

    @Test
    void aDeadLetterWhoseIdCannotBeReadIsAnAbortedRead() {
        story.with(new Entry.DeadLetter(SEARCH, null, "sha"));
    }

    @Test
    void aQuarantinedMessageThatWasRolledBackIsAnAbortedRead() {
        story.with(new Entry.Quarantined(story.message(Story.ROLLED_BACK).id(), "*", "quarantined", "unknown type"));
    }

    @Test
    void aRowOfARolledBackMessageIsAnAbortedRead() {
        story.with(new Entry.Stored(story.message(Story.ROLLED_BACK).id()));
    }

    @Test
    void aDatabaseThatMayLoseCommitsExcusesNoRolledBackRecord() {
        story.expecting(new Entry.Expected(null, true))
                .with(story.record(SEARCH, story.message(Story.ROLLED_BACK), Story.ROLLED_BACK, false));
    }
}
