package dev.posthaste.relay;

import java.util.List;
import java.util.Map;
import java.util.UUID;

import org.junit.jupiter.api.Test;

import dev.posthaste.relay.publishing.Position;
import dev.posthaste.relay.publishing.PositionTracker;
import dev.posthaste.relay.routing.RoutedMessage;
import dev.posthaste.relay.source.Lsn;
import dev.posthaste.relay.source.SourceDatabase;
import dev.posthaste.relay.source.WalEvent.TransactionBegan;
import dev.posthaste.relay.source.WalEvent.TransactionsEnded;

import static org.assertj.core.api.Assertions.assertThat;

class BatchTest {

    private static final Position FIRST = Position.first(new SourceDatabase.Identity("7", "library", 1), new Lsn(100));

    private final PositionTracker tracker = new PositionTracker(FIRST, new Lsn(100));

    @Test
    void thePositionAfterIsThePlaceOfItsLastMessageAndNoLater() {
        Batch batch = new Batch(new RelaySettings.Bounds(10, 1_000_000));
        tracker.began(new TransactionBegan(3, new Lsn(100)));
        add(batch, 1);
        add(batch, 2);
        tracker.ended(new TransactionsEnded(new Lsn(200)));

        assertThat(batch.after(FIRST, 8, new Lsn(200)))
                .isEqualTo(new Position(
                        FIRST.source(),
                        8,
                        1,
                        2,
                        new Lsn(100),
                        new Position.InProgress(3, 2),
                        new Lsn(200),
                        new UUID(0, 2),
                        false));
        assertThat(batch.rows()).extracting(row -> row.id()).containsExactly(new UUID(0, 1), new UUID(0, 2));
    }

    @Test
    void theAckNeverGoesBack() {
        Batch batch = new Batch(new RelaySettings.Bounds(10, 1_000_000));
        tracker.began(new TransactionBegan(3, new Lsn(100)));
        add(batch, 1);
        assertThat(batch.after(FIRST, 8, new Lsn(50)).ack()).isEqualTo(new Lsn(100));
    }

    @Test
    void itIsFullByCountOrByBytesAndTakesOneMessageHoweverLarge() {
        tracker.began(new TransactionBegan(3, new Lsn(100)));
        Batch byCount = new Batch(new RelaySettings.Bounds(2, 1_000_000));
        assertThat(byCount.isFull()).isFalse();
        add(byCount, 1);
        assertThat(byCount.isFull()).isFalse();
        add(byCount, 2);
        assertThat(byCount.isFull()).isTrue();

        Batch byBytes = new Batch(new RelaySettings.Bounds(100, 1));
        assertThat(byBytes.isFull()).isFalse();
        add(byBytes, 3);
        assertThat(byBytes.isFull()).isTrue();
    }

    private void add(Batch batch, long number) {
        tracker.row();
        batch.add(
                new RoutedMessage(Rows.row(new UUID(0, number)), List.of("a", "b"), List.of(), "key", Map.of(), false),
                tracker);
    }
}
