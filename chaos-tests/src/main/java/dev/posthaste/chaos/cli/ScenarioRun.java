package dev.posthaste.chaos.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

import org.apache.kafka.common.utils.AppInfoParser;
import org.jspecify.annotations.Nullable;

import dev.posthaste.chaos.check.Checker;
import dev.posthaste.chaos.check.Invariant;
import dev.posthaste.chaos.check.Recovery;
import dev.posthaste.chaos.check.Verdict;
import dev.posthaste.chaos.history.History;
import dev.posthaste.chaos.report.Problem;
import dev.posthaste.chaos.report.ScenarioReport;
import dev.posthaste.chaos.report.Timeline;
import dev.posthaste.chaos.report.Totals;
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
        Path own = unused(directory.resolve(scenario.name()));
        long began = System.nanoTime();
        List<Problem> problems = new ArrayList<>();
        try {
            String broken = new Supervisor(scale, progress, clock, versions()).run(scenario, seed, patches, own);
            if (broken != null) {
                problems.add(new Problem("broken off", broken, List.of()));
            }
        } catch (Exception e) {
            if (e instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            problems.add(new Problem(
                    "broken off",
                    e.toString(),
                    Arrays.stream(e.getStackTrace())
                            .limit(8)
                            .map(StackTraceElement::toString)
                            .toList()));
        }
        History history = History.read(own);
        Verdict verdict = Checker.check(history);
        verdict.findings()
                .forEach(found -> problems.add(new Problem(
                        found.invariant().name(), found.what() + " (" + found.total() + ")", found.records())));
        boolean failed = !problems.isEmpty();
        if (!failed) {
            delete(own);
        }
        return new ScenarioReport(
                scenario.name(),
                scenario.promise(),
                seed,
                versions(),
                null,
                Arrays.stream(Invariant.values()).map(Enum::name).toList(),
                problems,
                Totals.of(history),
                recovery(verdict),
                Duration.ofNanos(System.nanoTime() - began),
                repeat,
                failed ? own : null,
                Timeline.of(history));
    }

    private static @Nullable Long recovery(Verdict verdict) {
        return verdict.recovery() instanceof Recovery.Measured measured ? measured.millis() : null;
    }

    private static Path unused(Path wanted) {
        Path free = wanted;
        for (int i = 2; Files.exists(free); i++) {
            free = wanted.resolveSibling(wanted.getFileName() + "-" + i);
        }
        return free;
    }

    private static Map<String, String> versions() {
        Map<String, String> versions = new TreeMap<>();
        versions.put("Java", System.getProperty("java.version"));
        versions.put("Kafka", AppInfoParser.getVersion());
        versions.put(
                "Posthaste",
                Optional.ofNullable(ScenarioRun.class.getPackage().getImplementationVersion())
                        .orElse("of this checkout"));
        versions.put("PostgreSQL", "18");
        return versions;
    }

    private static void delete(Path tree) throws IOException {
        try (Stream<Path> all = Files.walk(tree)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
