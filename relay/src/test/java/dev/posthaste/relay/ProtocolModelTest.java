package dev.posthaste.relay;

import java.nio.file.Path;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import dev.posthaste.relay.routing.Router;
import dev.posthaste.schemas.Namespace;
import dev.posthaste.schemas.catalog.CatalogReader;

import static org.assertj.core.api.Assertions.assertThat;

/** The position protocol against a model of PostgreSQL's stream and of both stores, with crashes everywhere. */
class ProtocolModelTest {

    private static final int RUNS = Integer.getInteger("posthaste.model.runs", 4_000);
    private static final int RUNS_WITH_FAULT = 300;

    private static Router router;

    @BeforeAll
    static void catalog(@TempDir Path directory) {
        router = new Router(new Namespace("model"), CatalogReader.read(TestCatalog.write(directory)));
    }

    @Test
    void everyCommittedRowIsPublishedOnceInCommitOrderAndProvedThroughAnyCrashes() {
        long crashes = 0;
        long unproved = 0;
        long movedBack = 0;
        long inside = 0;
        for (long seed = 1; seed <= RUNS; seed++) {
            ModelRun run = new ModelRun(seed, router, ModelRun.Fault.NONE);
            try {
                run.run();
            } catch (Exception | AssertionError e) {
                throw new AssertionError("the model fails with seed " + seed + ": " + e.getMessage(), e);
            }
            crashes += run.crashCount();
            unproved += run.unprovedStarts();
            movedBack += run.slotsMovedBack();
            inside += run.startsInsideTransaction();
        }
        assertThat(crashes).as("crashes").isGreaterThan(2L * RUNS);
        assertThat(unproved).as("starts with a batch unproved").isGreaterThan(RUNS / 10);
        assertThat(movedBack).as("slots moved back").isGreaterThan(RUNS / 10);
        assertThat(inside).as("starts inside a transaction").isGreaterThan(RUNS / 10);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void theModelNoticesAFaultPutInOnPurpose(ModelRun.Fault fault) {
        int noticed = 0;
        for (long seed = 1; seed <= RUNS_WITH_FAULT; seed++) {
            try {
                new ModelRun(seed, router, fault).run();
            } catch (Exception | AssertionError e) {
                noticed++;
            }
        }
        assertThat(noticed)
                .as("runs of %s in which %s is noticed", RUNS_WITH_FAULT, fault)
                .isPositive();
    }
}
