package dev.posthaste.chaos.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import dev.posthaste.chaos.report.Problem;
import dev.posthaste.chaos.report.ScenarioReport;
import dev.posthaste.chaos.scenario.Progress;
import dev.posthaste.chaos.scenario.Scale;
import dev.posthaste.chaos.scenario.Scenario;
import dev.posthaste.chaos.scenario.Supervisor;

/** Runs scenarios, has them judged, and makes their reports. What failed is kept. Used by one thread. */
public final class ScenarioRun {

    private final Path directory;
    private final Scale scale;
    private final String options;
    private final Progress progress;
    private final Clock clock = Clock.systemUTC();

    /**
     * Makes one.
     *
     * @param directory each run gets a directory of its own in it
     * @param options of the command that repeats a run, with a space before each
     */
    public ScenarioRun(Path directory, Scale scale, String options, Progress progress) {
        this.directory = directory.toAbsolutePath();
        this.scale = scale;
        this.options = options;
        this.progress = progress;
    }

    /**
     * Runs one.
     *
     * @param patches directories whose classes come before the product's own
     */
    public ScenarioReport run(Scenario scenario, long seed, List<Path> patches) throws IOException {
        String repeat = "./posthaste chaos run " + scenario.name() + " --seed " + seed + options;
        Optional<String> obstacle = scenario.obstacle().get();
        if (obstacle.isPresent()) {
            return ScenarioReport.notRun(scenario.name(), scenario.promise(), seed, obstacle.get(), repeat);
        }
        RunDirectory own = RunDirectory.make(directory, scenario.name());
        long began = System.nanoTime();
        List<Problem> problems = new ArrayList<>();
        try {
            String broken =
                    new Supervisor(scale, progress, clock, Versions.all()).run(scenario, seed, patches, own.path());
            if (broken != null) {
                problems.add(new Problem("broken off", broken, List.of(), 1));
            }
        } catch (Exception e) {
            if (e instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            problems.add(Problem.of("broken off", e));
        }
        Judgement judgement = Judgement.of(own.path());
        problems.addAll(judgement.problems());
        boolean failed = !problems.isEmpty();
        tidy(own, failed);
        return new ScenarioReport(
                scenario.name(),
                scenario.promise(),
                seed,
                Versions.all(),
                null,
                judgement.checked(),
                problems,
                judgement.totals(),
                judgement.recoveryMillis(),
                Duration.ofNanos(System.nanoTime() - began),
                repeat,
                failed ? own.path() : null,
                judgement.timeline());
    }

    /** That something cannot be deleted is no reason to doubt the run, nor to end those that follow. */
    private void tidy(RunDirectory own, boolean kept) {
        try {
            if (kept) {
                own.keepWhatExplains();
            } else {
                own.delete();
            }
        } catch (IOException e) {
            progress.note("something in " + own.path() + " cannot be deleted: " + e);
        }
    }
}
