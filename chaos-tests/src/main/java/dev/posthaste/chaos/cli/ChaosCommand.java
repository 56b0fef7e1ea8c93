package dev.posthaste.chaos.cli;

import java.io.PrintWriter;
import java.util.Locale;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

import dev.posthaste.chaos.scenario.Scenario;
import dev.posthaste.relay.cli.ExitCode;

/** {@code posthaste chaos}: lists scenarios and runs them. */
@Command(
        name = "chaos",
        description = {
            "Break everything on purpose, and judge from what is left whether a promise was broken.",
            "Starts its own PostgreSQL, Kafka, relays, consumers and load; nothing of yours is touched."
        },
        subcommands = RunCommand.class)
final class ChaosCommand {

    private static final String ROW = "%-40s %-6s %s%s%n";

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Command(name = "list", description = "The scenarios, each with what it shows.")
    int list() {
        PrintWriter out = spec.commandLine().getOut();
        out.println("Of the tier short: run by --short, and by --all. Of the tier full: by --all only.");
        out.println();
        out.printf(ROW, "SCENARIO", "TIER", "WHAT GOES WRONG", "");
        for (Scenario scenario : Catalogue.all()) {
            out.printf(
                    ROW,
                    scenario.name(),
                    scenario.tier().name().toLowerCase(Locale.ROOT),
                    scenario.promise(),
                    scenario.obstacle()
                            .get()
                            .map(why -> " (not on this machine: " + why + ")")
                            .orElse(""));
        }
        return ExitCode.OK;
    }
}
