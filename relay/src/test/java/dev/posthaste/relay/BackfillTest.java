package dev.posthaste.relay;

import java.util.Optional;
import java.util.UUID;

import org.junit.jupiter.api.Test;

import dev.posthaste.relay.evidence.DispatchedBatch;
import dev.posthaste.relay.publishing.Position;
import dev.posthaste.relay.publishing.PositionTracker;
import dev.posthaste.relay.source.Lsn;
import dev.posthaste.relay.source.SourceDatabase;
import dev.posthaste.relay.source.WalEvent.TransactionBegan;
import dev.posthaste.relay.source.WalEvent.TransactionsEnded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

class BackfillTest {

    private static final Lsn SLOT = new Lsn(100);
    private static final Lsn LAST_COMMIT = new Lsn(200);

    /** Batch 5: the last row of the transaction before, and two of the one in progress. */
    private static final Position POSITION = new Position(
            new SourceDatabase.Identity("7", "library", 1),
            1,
            5,
            3,
            LAST_COMMIT,
            new Position.InProgress(9, 2),
            LAST_COMMIT,
            new UUID(0, 4),
            false);

    private final PositionTracker tracker = new PositionTracker(POSITION, SLOT);
    private long number;

    @Test
    void theLastRowsSkippedAreTheBatchThatLacksItsEvidence() throws HaltException {
        Backfill backfill = new Backfill(POSITION, "catalog", false);
        tracker.began(new TransactionBegan(8, SLOT));
        assertThat(skip(backfill)).isEmpty();
        assertThat(skip(backfill)).isEmpty();
        tracker.began(new TransactionBegan(9, LAST_COMMIT));
        assertThat(skip(backfill)).isEmpty();
        assertThat(backfill.isWaiting()).isTrue();

        DispatchedBatch batch = skip(backfill).orElseThrow();

        assertThat(batch.batch()).isEqualTo(5);
        assertThat(batch.position()).isEqualTo(LAST_COMMIT);
        assertThat(batch.messageIds()).containsExactly(new UUID(0, 2), new UUID(0, 3), new UUID(0, 4));
        assertThat(backfill.isWaiting()).isFalse();
    }

    @Test
    void aBatchThatHasItsEvidenceIsNotLookedFor() throws HaltException {
        Backfill backfill = new Backfill(POSITION, "catalog", true);
        assertThat(backfill.isWaiting()).isFalse();
        tracker.began(new TransactionBegan(9, LAST_COMMIT));
        assertThat(skip(backfill)).isEmpty();
        assertThat(skip(backfill)).isEmpty();
    }

    @Test
    void tooFewRowsSentAgainHaltTheRelay() throws HaltException {
        Backfill backfill = new Backfill(POSITION, "catalog", false);
        tracker.began(new TransactionBegan(9, LAST_COMMIT));
        skip(backfill);

        HaltException halt = catchThrowableOfType(HaltException.class, () -> skip(backfill));

        assertThat(halt.reason().cause()).isEqualTo(HaltReason.Cause.EVIDENCE_INCOMPLETE);
        assertThat(halt.reason().detail()).contains("batch 5", "3 messages", "only 2");
    }

    @Test
    void aStreamBeyondThePositionWithoutThemHaltsTheRelay() throws HaltException {
        Backfill backfill = new Backfill(POSITION, "catalog", false);
        backfill.requireFound(tracker);
        tracker.ended(new TransactionsEnded(new Lsn(300)));

        HaltException halt = catchThrowableOfType(HaltException.class, () -> backfill.requireFound(tracker));

        assertThat(halt.reason().cause()).isEqualTo(HaltReason.Cause.EVIDENCE_INCOMPLETE);
    }

    private Optional<DispatchedBatch> skip(Backfill backfill) throws HaltException {
        assertThat(tracker.row()).isEqualTo(PositionTracker.Verdict.SKIP);
        return backfill.skipped(Rows.row(new UUID(0, ++number)), tracker);
    }
}
