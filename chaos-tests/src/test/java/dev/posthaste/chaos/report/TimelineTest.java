package dev.posthaste.chaos.report;

import java.util.List;
import java.util.UUID;

import org.junit.jupiter.api.Test;

import dev.posthaste.chaos.history.Entry;
import dev.posthaste.chaos.history.History;

import static org.assertj.core.api.Assertions.assertThat;

class TimelineTest {

    @Test
    void messagesAreCountedInTheSecondTheyWereCommittedAndPublished() {
        Recording recording = Recording.started();
        UUID one = recording.transaction(200, Entry.Result.COMMITTED);
        UUID other = recording.transaction(1100, Entry.Result.COMMITTED);
        recording.published(1500, Recording.FIRST, one).published(1700, Recording.FIRST, other);
        recording.effect(2500, Recording.FIRST, one);

        Timeline timeline = Timeline.of(recording.ended(3000));

        assertThat(timeline.bucketMillis()).isEqualTo(1000);
        assertThat(timeline.buckets())
                .containsExactly(
                        new Timeline.Bucket(1, 0, 0), new Timeline.Bucket(1, 2, 0), new Timeline.Bucket(0, 0, 1));
    }

    @Test
    void oneHandlersTopicIsCountedNotTheSumOfAll() {
        Recording recording = Recording.started();
        UUID id = recording.transaction(0, Entry.Result.COMMITTED);
        recording.published(100, Recording.FIRST, id).published(100, Recording.SECOND, id);

        Timeline timeline = Timeline.of(recording.ended(1000));

        assertThat(timeline.handler()).isEqualTo(Recording.FIRST);
        assertThat(timeline.buckets()).containsExactly(new Timeline.Bucket(1, 1, 0));
    }

    @Test
    void whatWasRolledBackIsNotCommittedAndWhatIsUnknownOnlyIfItsRowIsThere() {
        Recording recording = Recording.started();
        recording.transaction(0, Entry.Result.ROLLED_BACK);
        recording.transaction(0, Entry.Result.UNKNOWN);
        UUID there = recording.transaction(0, Entry.Result.UNKNOWN);
        History history = recording.stored(there).ended(1000);

        assertThat(Timeline.of(history).buckets()).containsExactly(new Timeline.Bucket(1, 0, 0));
        assertThat(Totals.of(history)).isEqualTo(new Totals(1, 0, 0));
    }

    @Test
    void bucketsAreBoundedHoweverLongTheRun() {
        long day = 24 * 3600 * 1000L;

        Timeline timeline = Timeline.of(Recording.started().sample(day - 1, 1L).ended(day));

        assertThat(timeline.buckets()).hasSizeLessThanOrEqualTo(Timeline.BUCKETS_MAX);
        assertThat(timeline.buckets().size() * timeline.bucketMillis()).isGreaterThanOrEqualTo(day);
    }

    @Test
    void theBacklogKeepsTheWorstOfABucketAndWhatCouldNotBeTold() {
        Recording recording = Recording.started()
                .sample(100, 5L)
                .sample(600, 9L)
                .sample(900, null)
                .sample(1500, null);

        assertThat(Timeline.of(recording.ended(2000)).backlog())
                .containsExactly(new Timeline.Backlog(600, 9L), new Timeline.Backlog(1500, null));
    }

    @Test
    void aPhaseLastsUntilTheNextAndTheLastOneUntilTheEnd() {
        Recording recording = Recording.started().phase(0, "steady").phase(4000, "fault");

        assertThat(Timeline.of(recording.ended(9000)).phases())
                .containsExactly(new Timeline.Phase("steady", 0, 4000), new Timeline.Phase("fault", 4000, 9000));
    }

    @Test
    void recoveryIsFromTheLastFaultUntilEveryTopicHasAMessageCommittedAfterIt() {
        Recording recording = Recording.started().fault(1000, "kill", true).phase(3000, "heal");
        UUID before = recording.transaction(2000, Entry.Result.COMMITTED);
        UUID after = recording.transaction(3500, Entry.Result.COMMITTED);
        recording.published(4000, Recording.FIRST, before).published(4000, Recording.SECOND, before);
        recording.published(5000, Recording.FIRST, after).published(5700, Recording.SECOND, after);

        assertThat(Timeline.of(recording.ended(9000)).recovery())
                .isEqualTo(new Timeline.Recovery(3000, 2700L, 10_000L));
    }

    @Test
    void aTopicThatStaysSilentIsNoRecovery() {
        Recording recording = Recording.started().fault(1000, "kill", true);
        UUID after = recording.transaction(3500, Entry.Result.COMMITTED);
        recording.published(5000, Recording.FIRST, after);

        assertThat(Timeline.of(recording.ended(9000)).recovery()).isEqualTo(new Timeline.Recovery(1000, null, 10_000L));
    }

    @Test
    void withoutAFaultThatFiredThereIsNothingToRecoverFrom() {
        Recording recording = Recording.started().fault(1000, "kill", false).phase(2000, "heal");

        assertThat(Timeline.of(recording.ended(9000)).recovery()).isNull();
    }

    @Test
    void aRunThatBrokeOffEndsWithTheLastThatIsKnown() {
        Timeline timeline = Timeline.of(Recording.started().sample(7300, 1L).unended());

        assertThat(timeline.durationMillis()).isEqualTo(7300);
        assertThat(timeline.buckets()).hasSize(8);
    }

    @Test
    void aStrayClockNeitherStretchesTheTimelineNorLosesTheMessage() {
        Recording recording = Recording.started();
        UUID id = recording.transaction(0, Entry.Result.COMMITTED);
        recording.published(-5000, Recording.FIRST, id).published(90_000, Recording.FIRST, id);

        assertThat(Timeline.of(recording.ended(2000)).buckets())
                .containsExactly(new Timeline.Bucket(1, 1, 0), new Timeline.Bucket(0, 1, 0));
    }

    @Test
    void anEmptyHistoryIsAnEmptyTimeline() {
        assertThat(Timeline.of(new History(List.of())).isEmpty()).isTrue();
    }
}
