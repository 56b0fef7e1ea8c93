package dev.posthaste.chaos.defects;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import dev.posthaste.chaos.cli.Catalogue;
import dev.posthaste.chaos.cli.ScenarioRun;
import dev.posthaste.chaos.history.Entry;
import dev.posthaste.chaos.report.Outcome;
import dev.posthaste.chaos.report.Problem;
import dev.posthaste.chaos.report.ScenarioReport;
import dev.posthaste.chaos.scenario.Progress;
import dev.posthaste.chaos.scenario.Scale;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Breaking the product on purpose is found. The suite applies every defect; {@code -Pfull} runs them as well. */
class DefectsTest {

    private static final long SEED = 1;

    static Stream<Defect> all() {
        return Defects.all().stream();
    }

    @Test
    void thereAreTenAtLeast() {
        assertThat(Defects.all()).hasSizeGreaterThanOrEqualTo(10);
    }

    @ParameterizedTest
    @MethodSource("all")
    void everyDefectCanBeAppliedToTheProductAsItIs(Defect defect, @TempDir Path directory) throws Exception {
        assertThat(defect.applyIn(directory)).isNotEmptyDirectory();
        assertThat(Catalogue.named(defect.scenario()).obstacle().get()).isEmpty();
    }

    /** {@code -Dposthaste.defect=} with a regular expression runs those whose name has a match. */
    static Stream<Defect> wanted() {
        Pattern wanted = Pattern.compile(System.getProperty("posthaste.defect", ""));
        return all().filter(defect -> wanted.matcher(defect.name()).find());
    }

    @ParameterizedTest
    @MethodSource("wanted")
    void aDefectIsFoundByTheScenarioThatIsMeantToFindIt(Defect defect, @TempDir Path directory) throws Exception {
        assumeTrue(Boolean.getBoolean("posthaste.full"), "each takes a minute: they run with -Pfull");
        Path classes = defect.applyIn(directory);

        ScenarioReport report = new ScenarioRun(directory.resolve("run"), Scale.quick(), "", new Silent())
                .run(Catalogue.named(defect.scenario()), SEED, List.of(classes));

        assertThat(report.outcome()).isEqualTo(Outcome.FAILED);
        assertThat(report.problems().stream().map(Problem::title))
                .as("%s", report.problems())
                .containsAnyElementsOf(defect.found().stream().map(Enum::name).toList());
    }

    private static final class Silent implements Progress {

        @Override
        public void begins(String scenario) {}

        @Override
        public void phase(String name) {}

        @Override
        public void sample(Entry.Sample sample) {}

        @Override
        public void note(String text) {}
    }
}
