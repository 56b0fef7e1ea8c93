package dev.posthaste.chaos.cli;

import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import dev.posthaste.chaos.report.HtmlReport;
import dev.posthaste.chaos.report.MarkdownReport;
import dev.posthaste.chaos.report.Outcome;
import dev.posthaste.chaos.report.ScenarioReport;
import dev.posthaste.chaos.scenario.Scale;
import dev.posthaste.chaos.scenario.Scenario;
import dev.posthaste.relay.cli.ExitCode;
import dev.posthaste.relay.cli.UsageException;

/** {@code posthaste chaos run}. */
@Command(name = "run", description = "Run scenarios; exits with 0 only if none has failed.")
final class RunCommand implements Callable<Integer> {

    /** Any random number will do, but it must be one that can be typed. */
    private static final int SEED_MAX = 1_000_000;

    private static final int SOAK_MINUTES = 60;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Parameters(arity = "0..*", paramLabel = "SCENARIO", description = "Which; see chaos list.")
    private List<String> names = List.of();

    @Option(names = "--all", description = "All of them, long waits at their full length.")
    private boolean all;

    @Option(names = "--short", description = "Those of the short tier.")
    private boolean shortTier;

    @Option(names = "--soak", description = "Random pairs, one after the other, until --minutes are over.")
    private boolean soak;

    @Option(names = "--full", description = "Long waits at their full length.")
    private boolean full;

    @Option(names = "--seed", paramLabel = "S", description = "Of everything random; default: another one each time.")
    private @Nullable Long seed;

    @Option(
            names = "--minutes",
            paramLabel = "M",
            description = "How long what is random goes on; with --soak, the whole.")
    private @Nullable Integer minutes;

    @Option(names = "--report", paramLabel = "DIR", description = "Where report, histories and logs go.")
    private @Nullable Path report;

    @Override
    public Integer call() throws Exception {
        PrintWriter out = spec.commandLine().getOut();
        if (minutes != null && minutes < 1) {
            throw new UsageException("--minutes is " + minutes + ", but must be at least 1");
        }
        long chosen = seed != null ? seed : new Random().nextInt(SEED_MAX);
        Path directory =
                report != null ? Files.createDirectories(report) : Files.createTempDirectory("posthaste-chaos-");
        Scale scale = scale(all || full, soak ? null : minutes);
        ScenarioRun run = new ScenarioRun(directory, scale, options(all || full, minutes), new ConsoleProgress(out));
        List<ScenarioReport> reports = new ArrayList<>();
        if (soak) {
            soak(run, chosen, Duration.ofMinutes(minutes == null ? SOAK_MINUTES : minutes), reports, out);
        } else {
            for (Scenario scenario : Catalogue.chosen(names, all, shortTier)) {
                reports.add(tell(run.run(scenario, chosen, List.of()), out));
            }
        }
        out.println();
        out.println("report: " + MarkdownReport.write(directory, Map.of(), reports));
        out.println("        " + HtmlReport.write(directory, Map.of(), reports));
        long failed = count(reports, Outcome.FAILED);
        out.println(count(reports, Outcome.PASSED) + " passed, " + failed + " failed, "
                + count(reports, Outcome.NOT_RUN) + " not run");
        return failed == 0 ? ExitCode.OK : ExitCode.FAILED;
    }

    private static Scale scale(boolean full, @Nullable Integer minutes) {
        Scale scale = full ? Scale.nightly() : Scale.quick();
        return minutes == null ? scale : scale.withRandom(Duration.ofMinutes(minutes));
    }

    private static String options(boolean full, @Nullable Integer minutes) {
        return (full ? " --full" : "") + (minutes == null ? "" : " --minutes " + minutes);
    }

    private static void soak(ScenarioRun run, long seed, Duration time, List<ScenarioReport> reports, PrintWriter out)
            throws Exception {
        Random random = new Random(seed);
        List<Scenario> lasting = Catalogue.all().stream()
                .filter(scenario -> scenario.expected().haltCause() == null)
                .toList();
        Instant end = Clock.systemUTC().instant().plus(time);
        while (Clock.systemUTC().instant().isBefore(end)) {
            Scenario one = lasting.get(random.nextInt(lasting.size()));
            Scenario other = lasting.get(random.nextInt(lasting.size()));
            reports.add(tell(run.run(Catalogue.pair(one, other), random.nextInt(SEED_MAX), List.of()), out));
        }
    }

    private static ScenarioReport tell(ScenarioReport report, PrintWriter out) {
        out.printf(
                "%s %s: %d messages, %s, %d s%n",
                report.outcome(),
                report.scenario(),
                report.totals().committed(),
                report.notRunBecause() != null
                        ? report.notRunBecause()
                        : "recovered in " + report.recoveryMillis() + " ms",
                report.took().toSeconds());
        report.problems().forEach(problem -> {
            out.println("  " + problem.title() + ": " + problem.detail());
            problem.records().forEach(record -> out.println("    " + record));
        });
        if (report.outcome() == Outcome.FAILED) {
            out.println("  repeat it: " + report.repeatCommand());
            out.println("  its history: " + report.history());
        }
        out.flush();
        return report;
    }

    private static long count(List<ScenarioReport> reports, Outcome outcome) {
        return reports.stream().filter(report -> report.outcome() == outcome).count();
    }
}
