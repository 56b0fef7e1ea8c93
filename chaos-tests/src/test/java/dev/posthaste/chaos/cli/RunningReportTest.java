package dev.posthaste.chaos.cli;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.posthaste.chaos.load.JavaProcess;
import dev.posthaste.chaos.report.ScenarioReport;
import dev.posthaste.chaos.report.Timeline;
import dev.posthaste.chaos.report.Totals;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class RunningReportTest {

    private static final int BY_SIGTERM = 143;

    @TempDir
    private Path directory;

    static ScenarioReport passed(String scenario) {
        return new ScenarioReport(
                scenario,
                "something goes wrong",
                7,
                Map.of(),
                null,
                List.of(),
                List.of(),
                new Totals(120, 360, 360),
                null,
                Duration.ofSeconds(58),
                "again",
                null,
                Timeline.EMPTY);
    }

    private RunningReport report() {
        return new RunningReport(directory, Map.of("Command", "./posthaste chaos run --all"));
    }

    @Test
    void afterEveryScenarioThereIsAReportOfAllThatEnded() throws Exception {
        RunningReport report = report();

        assertThat(directory).isEmptyDirectory();
        report.add(passed("one"));
        assertThat(directory.resolve("report.md")).content().contains("1 passed", "## one: passed", "run --all");
        report.add(passed("other"));
        assertThat(directory.resolve("report.md")).content().contains("2 passed", "## one: passed", "## other: passed");
        assertThat(directory.resolve("report.html")).content().contains("2 passed");
    }

    @Test
    void whatEndsByTheInterruptionIsNoPartOfTheReport() throws Exception {
        RunningReport report = report();
        report.add(passed("one"));

        assertThat(report.interrupt())
                .first()
                .asString()
                .isEqualTo("interrupted; 1 scenario has ended; what the one under way has left is in " + directory);
        report.add(passed("other"));

        assertThat(directory.resolve("report.md"))
                .content()
                .contains("1 passed")
                .doesNotContain("other");
    }

    @Test
    void anInterruptionBeforeTheFirstEndNamesNoReport() {
        assertThat(report().interrupt()).singleElement().asString().startsWith("interrupted; 0 scenarios have ended;");
    }

    @Test
    void aProcessThatIsEndedUnderWaySaysWhereTheReportIs() throws Exception {
        try (JavaProcess run = JavaProcess.start(UnderWay.class, directory, Map.of(), directory.toString())) {
            await().atMost(Duration.ofSeconds(30)).until(() -> run.log().contains(UnderWay.READY));
            run.terminate();

            assertThat(run.endsWithin(30)).isTrue();
            assertThat(run.exitCode()).isEqualTo(BY_SIGTERM);
            assertThat(run.log())
                    .contains("interrupted; 1 scenario has ended;")
                    .contains("report: " + directory.resolve("report.md"));
        }
        assertThat(directory.resolve("report.md")).content().contains("1 passed");
    }
}
