package dev.posthaste.relay;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.posthaste.relay.health.RelayMeters;
import dev.posthaste.relay.publishing.Position;
import dev.posthaste.relay.routing.Router;
import dev.posthaste.relay.source.Lsn;
import dev.posthaste.relay.source.ModelSource;
import dev.posthaste.relay.source.SourceDatabase;
import dev.posthaste.relay.source.WalBatch;
import dev.posthaste.relay.source.WalEvent;
import dev.posthaste.schemas.Namespace;
import dev.posthaste.schemas.catalog.CatalogReader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

class PipelineTest {

    private static final Lsn SLOT = new Lsn(100);
    private static final Position FIRST = Position.first(new SourceDatabase.Identity("7", "library", 1), SLOT);

    private final List<String> done = new ArrayList<>();

    private Pipeline pipeline(Path directory, Pipeline.SlotGuard guard) {
        Dispatch dispatch = new Dispatch(
                new Dispatch.Stages(
                        new Router(new Namespace("library"), CatalogReader.read(TestCatalog.write(directory))),
                        (fault, createdAt) -> done.add("set aside " + fault.messageId()),
                        (messages, after) -> done.add("published " + messages.size() + ", ack " + after.ack()),
                        batch -> done.add("proved " + batch.messageIds().size()),
                        new RelayMeters(new SimpleMeterRegistry())),
                new Attempts(),
                "catalog",
                Set.of());
        return new Pipeline(
                dispatch, new RelaySettings.Bounds(10, 1_000_000), new Pipeline.Start(FIRST, SLOT, true), 1, guard);
    }

    private ModelSource source() {
        return new ModelSource(SLOT, flushed -> done.add("acknowledged " + flushed));
    }

    private static ModelSource.EngineRecord row(long number) {
        return new ModelSource.EngineRecord(null, 3, Rows.row(new UUID(0, number)));
    }

    private static ModelSource.EngineRecord beat(long lastCommit) {
        return new ModelSource.EngineRecord(new Lsn(lastCommit), 0, null);
    }

    @Test
    void aBatchIsPublishedThenProvedThenAcknowledged(@TempDir Path directory) throws Exception {
        Pipeline pipeline = pipeline(directory, () -> done.add("slot checked"));

        pipeline.onBatch(source().batch(List.of(row(1), row(2), beat(200))));

        assertThat(done).containsExactly("slot checked", "published 2, ack 0/C8", "proved 2", "acknowledged 0/C8");
    }

    @Test
    void beforeTheEndOfATransactionNothingIsAcknowledged(@TempDir Path directory) throws Exception {
        Pipeline pipeline = pipeline(directory, () -> {});

        pipeline.onBatch(source().batch(List.of(row(1), row(2))));

        assertThat(done).containsExactly("published 2, ack " + SLOT, "proved 2");
    }

    @Test
    void thePositionKnowsBeforeTheSlotMovesWithoutMessages(@TempDir Path directory) throws Exception {
        Pipeline pipeline = pipeline(directory, () -> {});

        pipeline.onBatch(source().batch(List.of(beat(200))));

        assertThat(done).containsExactly("published 0, ack 0/C8", "acknowledged 0/C8");
    }

    /** A batch of a source at fault: it would let the slot move to where no transaction is known to end. */
    private record Claiming(List<WalEvent> events, List<Lsn> claims, List<String> done) implements WalBatch {

        @Override
        public Lsn acknowledges() {
            return claims.size() == 1 ? claims.get(0) : claims.remove(0);
        }

        @Override
        public void acknowledge() {
            done.add("acknowledged");
        }
    }

    @Test
    void aPlaceWhereNoTransactionIsKnownToEndIsNeitherPutIntoThePositionNorAcknowledged(@TempDir Path directory) {
        Pipeline pipeline = pipeline(directory, () -> {});
        List<WalEvent> events =
                List.of(new WalEvent.TransactionBegan(3, SLOT), new WalEvent.RowInserted(Rows.row(new UUID(0, 1))));

        assertThatThrownBy(() -> pipeline.onBatch(new Claiming(events, List.of(new Lsn(300)), done)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("0/12C, but no transaction is known to end there");

        assertThat(done).isEmpty();
    }

    @Test
    void aPlaceThatThePositionDoesNotKnowIsNotAcknowledged(@TempDir Path directory) {
        Pipeline pipeline = pipeline(directory, () -> {});
        List<Lsn> claims = new ArrayList<>(List.of(SLOT, SLOT, new Lsn(200))); // another one each time it is asked

        assertThatThrownBy(() -> pipeline.onBatch(
                        new Claiming(List.of(new WalEvent.TransactionsEnded(new Lsn(200))), claims, done)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("0/C8, but the position allows 0/64");

        assertThat(done).isEmpty();
    }

    @Test
    void aRowThatIsNeitherSkippedNorSettledStopsEveryAcknowledgement() {
        Ledger ledger = new Ledger();
        ledger.taken();
        ledger.taken();
        ledger.settled(1);

        assertThatThrownBy(() -> ledger.requireCovered(SLOT, FIRST))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("1 rows before it are not published");

        ledger.settled(1);
        ledger.requireCovered(SLOT, FIRST);
    }

    @Test
    void nothingIsPublishedFromASlotThatIsNotTheOneThatWasRead(@TempDir Path directory) {
        Pipeline pipeline = pipeline(directory, () -> {
            throw new HaltException(HaltReason.Cause.SLOT_BEYOND_ACK, "it moved", "find out who");
        });

        HaltException halt = catchThrowableOfType(
                HaltException.class, () -> pipeline.onBatch(source().batch(List.of(row(1), beat(200)))));

        assertThat(halt.reason().cause()).isEqualTo(HaltReason.Cause.SLOT_BEYOND_ACK);
        assertThat(done).isEmpty();
    }
}
