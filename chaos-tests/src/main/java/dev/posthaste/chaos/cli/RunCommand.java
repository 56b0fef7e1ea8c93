package dev.posthaste.chaos.cli;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import dev.posthaste.chaos.report.Outcome;
import dev.posthaste.chaos.report.ScenarioReport;
import dev.posthaste.chaos.scenario.Scenario;
import dev.posthaste.relay.cli.ExitCode;
import dev.posthaste.relay.cli.UsageException;

/** {@code posthaste chaos run}. */
@Command(name = "run", description = "Run scenarios; exits with 0 only if none has failed.")
final class RunCommand implements Callable<Integer> {

    /** Any random number will do, but it must be one that can be typed. */
    private static final int SEED_MAX = 1_000_000;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Parameters(
            arity = "0..*",
            paramLabel = "SCENARIO",
            description = "Which, by name; posthaste chaos list shows them. Each takes one to two minutes.")
    private List<String> names = List.of();

    @Option(names = "--all", description = "All of them, long waits at their full length.")
    private boolean all;

    @Option(names = "--short", description = "Those of the short tier.")
    private boolean shortTier;

    @Option(
            names = "--soak",
            description = "Two scenarios drawn at random in one run, then two others, and so on for an hour, or as"
                    + " long as --minutes says.")
    private boolean soak;

    @Option(names = "--full", description = "Long waits at their full length.")
    private boolean full;

    @Option(names = "--seed", paramLabel = "S", description = "Of everything random; default: another one each time.")
    private @Nullable String seed;

    @Option(
            names = "--minutes",
            paramLabel = "M",
            description = "With --soak: how long all of it takes; default: " + RunOptions.SOAK_MINUTES + "."
                    + " Else: how long a scenario that breaks things again and again, as rebalance-storm does, goes"
                    + " on with it; default: 20 seconds, or a minute with --full or --all. Other scenarios are not"
                    + " changed by it. At most " + RunOptions.MINUTES_MAX + ", which is a day.")
    private @Nullable String minutes;

    @Option(
            names = "--report",
            paramLabel = "DIR",
            description = "Where the report goes, and histories and logs of runs that failed; must not have a report"
                    + " yet. Default: a new directory among the temporary ones.")
    private @Nullable Path report;

    @Override
    public Integer call() throws Exception {
        PrintWriter out = spec.commandLine().getOut();
        RunOptions options;
        Path directory;
        try {
            options = options();
            directory = ReportDirectory.make(report).toAbsolutePath();
        } catch (UsageException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
        out.println("The report is written to " + directory + " after every scenario.");
        Path home = Path.of(System.getProperty("posthaste.home", "."));
        Clock clock = Clock.system(ZoneId.systemDefault());
        RunningReport reports = new RunningReport(directory, RunFacts.of(clock.instant(), options.command(), home));
        try (Interruption unused = Interruption.of(reports, out)) {
            ScenarioRun run =
                    new ScenarioRun(directory, options.scale(), options.ofRepeat(), new ConsoleProgress(out, clock));
            if (soak) {
                soak(run, options.seed(), options.soakTime(), reports, out);
            } else {
                for (Scenario scenario : Catalogue.chosen(options)) {
                    reports.add(tell(run.run(scenario, options.seed(), List.of()), out));
                }
            }
        }
        out.println();
        reports.places().forEach(out::println);
        long failed = reports.count(Outcome.FAILED);
        out.println(reports.count(Outcome.PASSED) + " passed, " + failed + " failed, " + reports.count(Outcome.NOT_RUN)
                + " not run");
        return failed == 0 ? ExitCode.OK : ExitCode.FAILED;
    }

    private RunOptions options() {
        return new RunOptions(
                names,
                all,
                shortTier,
                soak,
                full,
                seed == null
                        ? new Random().nextInt(SEED_MAX)
                        : WholeNumber.of("--seed", seed, Long.MIN_VALUE, Long.MAX_VALUE),
                minutes == null
                        ? null
                        : Math.toIntExact(WholeNumber.of("--minutes", minutes, 1, RunOptions.MINUTES_MAX)));
    }

    private static void soak(ScenarioRun run, long seed, Duration time, RunningReport reports, PrintWriter out)
            throws Exception {
        out.println("soak with seed " + seed);
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
        out.println(line(report));
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

    static String line(ScenarioReport report) {
        String begin = report.outcome() + " " + report.scenario() + ": ";
        if (report.notRunBecause() != null) {
            return begin + report.notRunBecause();
        }
        Long recovery = report.recoveryMillis();
        return begin + report.totals().committed() + " messages, "
                + (recovery == null ? "" : "recovered in " + recovery + " ms, ")
                + report.took().toSeconds() + " s";
    }
}
