package dev.posthaste.relay.publishing;

import java.util.UUID;

import org.junit.jupiter.api.Test;

import dev.posthaste.relay.publishing.PositionTracker.Verdict;
import dev.posthaste.relay.source.Lsn;
import dev.posthaste.relay.source.SourceDatabase;
import dev.posthaste.relay.source.WalEvent.TransactionBegan;
import dev.posthaste.relay.source.WalEvent.TransactionsEnded;

import static org.assertj.core.api.Assertions.assertThat;

class PositionTrackerTest {

    private static final SourceDatabase.Identity DATABASE = new SourceDatabase.Identity("7", "library", 1);
    private static final Lsn SLOT = new Lsn(100);
    private static final Lsn LAST_COMMIT = new Lsn(200);

    private static PositionTracker tracker(Position.InProgress inProgress, Lsn streamStart) {
        return new PositionTracker(
                new Position(DATABASE, 1, 5, 2, LAST_COMMIT, inProgress, LAST_COMMIT, new UUID(0, 1), false),
                streamStart);
    }

    @Test
    void skipsEveryTransactionThatBeganBeforeTheLastCommit() {
        PositionTracker tracker = tracker(null, SLOT);
        tracker.began(new TransactionBegan(1, SLOT));
        assertThat(tracker.row()).isEqualTo(Verdict.SKIP);
        tracker.began(new TransactionBegan(2, new Lsn(199)));
        assertThat(tracker.row()).isEqualTo(Verdict.SKIP);
        tracker.began(new TransactionBegan(3, LAST_COMMIT));
        assertThat(tracker.row()).isEqualTo(Verdict.PUBLISH);
    }

    @Test
    void skipsTheFirstRowsOfTheTransactionInProgressByCount() {
        PositionTracker tracker = tracker(new Position.InProgress(9, 2), SLOT);
        tracker.began(new TransactionBegan(9, LAST_COMMIT));
        assertThat(tracker.row()).isEqualTo(Verdict.SKIP);
        assertThat(tracker.skippedLastPublishedRow()).isFalse();
        assertThat(tracker.row()).isEqualTo(Verdict.SKIP);
        assertThat(tracker.skippedLastPublishedRow()).isTrue();
        assertThat(tracker.row()).isEqualTo(Verdict.PUBLISH);
        assertThat(tracker.inProgress()).isEqualTo(new Position.InProgress(9, 3));
        assertThat(tracker.lastCommit()).isEqualTo(LAST_COMMIT);
    }

    @Test
    void anEarlierTransactionWithTheIdOfTheOneInProgressIsSkippedWhole() {
        PositionTracker tracker = tracker(new Position.InProgress(9, 1), SLOT);
        tracker.began(new TransactionBegan(9, new Lsn(150)));
        assertThat(tracker.row()).isEqualTo(Verdict.SKIP);
        assertThat(tracker.row()).isEqualTo(Verdict.SKIP);
        assertThat(tracker.skippedLastPublishedRow()).isFalse();
    }

    @Test
    void aLaterTransactionWithTheIdOfTheOneInProgressIsPublishedWhole() {
        PositionTracker tracker = tracker(new Position.InProgress(9, 1), SLOT);
        tracker.began(new TransactionBegan(9, LAST_COMMIT));
        assertThat(tracker.row()).isEqualTo(Verdict.SKIP);
        tracker.ended(new TransactionsEnded(new Lsn(250)));
        tracker.began(new TransactionBegan(9, new Lsn(250)));
        assertThat(tracker.row()).isEqualTo(Verdict.PUBLISH);
    }

    @Test
    void aStreamThatBeginsAfterTheLastCommitSkipsNothingEvenUnderTheSameId() {
        PositionTracker tracker = tracker(new Position.InProgress(9, 1), new Lsn(300));
        assertThat(tracker.isFiltering()).isFalse();
        tracker.began(new TransactionBegan(9, new Lsn(300)));
        assertThat(tracker.row()).isEqualTo(Verdict.PUBLISH);
        assertThat(tracker.inProgress()).isEqualTo(new Position.InProgress(9, 1));
        assertThat(tracker.lastCommit()).isEqualTo(new Lsn(300));
    }

    @Test
    void thePlaceStaysThePositionsWhileRowsAreSkipped() {
        PositionTracker tracker = tracker(new Position.InProgress(9, 2), SLOT);
        tracker.began(new TransactionBegan(1, SLOT));
        tracker.row();
        tracker.ended(new TransactionsEnded(new Lsn(150)));
        assertThat(tracker.isFiltering()).isTrue();
        assertThat(tracker.lastCommit()).isEqualTo(LAST_COMMIT);
        assertThat(tracker.inProgress()).isEqualTo(new Position.InProgress(9, 2));
    }

    @Test
    void anEndBeyondTheLastCommitEndsTheTransactionInProgressAndTheFilter() {
        PositionTracker tracker = tracker(new Position.InProgress(9, 2), SLOT);
        tracker.ended(new TransactionsEnded(new Lsn(260)));
        assertThat(tracker.isFiltering()).isFalse();
        assertThat(tracker.lastCommit()).isEqualTo(new Lsn(260));
        assertThat(tracker.inProgress()).isNull();
    }
}
