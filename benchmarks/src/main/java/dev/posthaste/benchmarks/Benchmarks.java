package dev.posthaste.benchmarks;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Runs one of the benchmarks. */
@Command(
        name = "benchmarks",
        description = "Side-by-side measurements on an embedded PostgreSQL and Kafka.",
        mixinStandardHelpOptions = true,
        subcommands = {LatencyCommand.class, DrainCommand.class})
public final class Benchmarks implements Runnable {

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    private Benchmarks() {}

    /** All of them, to be run once. */
    static CommandLine commandLine() {
        return new CommandLine(new Benchmarks());
    }

    /** Runs the one named by the first argument and exits with 0 if it could be measured. */
    public static void main(String[] arguments) {
        System.exit(commandLine().execute(arguments));
    }

    /** Without a name there is nothing to do but to say which there are. */
    @Override
    public void run() {
        throw new CommandLine.ParameterException(spec.commandLine(), "which benchmark?");
    }
}
