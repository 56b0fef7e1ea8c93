package dev.posthaste.relay.source;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import org.junit.jupiter.api.Test;

import dev.posthaste.relay.Rows;
import dev.posthaste.relay.source.WalEvent.RowInserted;
import dev.posthaste.relay.source.WalEvent.TransactionBegan;
import dev.posthaste.relay.source.WalEvent.TransactionsEnded;

import static org.assertj.core.api.Assertions.assertThat;

class TransactionTrackerTest {

    private static final Lsn START = new Lsn(100);

    private final TransactionTracker tracker = new TransactionTracker(START);
    private final List<WalEvent> events = new ArrayList<>();
    private final OutboxRow row = Rows.row(new UUID(0, 1));

    @Test
    void theFirstTransactionBeginsAfterThePlaceWhereTheStreamBegan() {
        tracker.lastCommit(null, events);
        tracker.row(7, row, events);

        assertThat(events).containsExactly(new TransactionBegan(7, START), new RowInserted(row));
        assertThat(tracker.lastEnd()).isEqualTo(START);
    }

    @Test
    void rowsOfOneTransactionHaveOneBegin() {
        tracker.row(7, row, events);
        tracker.lastCommit(null, events); // a heartbeat between them
        tracker.row(7, row, events);

        assertThat(events).containsExactly(new TransactionBegan(7, START), new RowInserted(row), new RowInserted(row));
    }

    @Test
    void aLaterCommitEndsTheTransactionBeforeTheNextBegins() {
        tracker.row(7, row, events);
        tracker.lastCommit(new Lsn(150), events);
        tracker.row(8, row, events);

        assertThat(events)
                .containsExactly(
                        new TransactionBegan(7, START),
                        new RowInserted(row),
                        new TransactionsEnded(new Lsn(150)),
                        new TransactionBegan(8, new Lsn(150)),
                        new RowInserted(row));
    }

    @Test
    void twoTransactionsWithOneIdAreToldApartByTheCommitBetween() {
        tracker.row(7, row, events);
        tracker.lastCommit(new Lsn(150), events);
        tracker.row(7, row, events);

        assertThat(events).contains(new TransactionBegan(7, START), new TransactionBegan(7, new Lsn(150)));
    }

    @Test
    void aCommitToldTwiceIsOneEnd() {
        tracker.lastCommit(new Lsn(150), events);
        tracker.lastCommit(new Lsn(150), events);
        tracker.lastCommit(new Lsn(120), events);

        assertThat(events).containsExactly(new TransactionsEnded(new Lsn(150)));
        assertThat(tracker.lastEnd()).isEqualTo(new Lsn(150));
    }
}
