package dev.posthaste.relay;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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
import dev.posthaste.schemas.Namespace;
import dev.posthaste.schemas.catalog.CatalogReader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

class PipelineTest {

    private static final Lsn SLOT = new Lsn(100);
    private static final Position FIRST = Position.first(new SourceDatabase.Identity("7", "library", 1), SLOT);

    private final List<String> done = new ArrayList<>();

    private Pipeline pipeline(Path directory, Pipeline.SlotGuard guard) {
        return new Pipeline(
                new Pipeline.Stages(
                        new Router(new Namespace("library"), CatalogReader.read(TestCatalog.write(directory))),
                        (messages, after) -> done.add("published " + messages.size() + ", ack " + after.ack()),
                        batch -> done.add("proved " + batch.messageIds().size()),
                        new RelayMeters(new SimpleMeterRegistry())),
                new RelaySettings.Bounds(10, 1_000_000),
                new Pipeline.Start(FIRST, SLOT, true),
                new Attempts(),
                "catalog",
                1,
                guard);
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
