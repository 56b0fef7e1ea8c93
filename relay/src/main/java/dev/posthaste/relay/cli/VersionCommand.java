package dev.posthaste.relay.cli;

import java.io.IOException;
import java.util.concurrent.Callable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code posthaste version}. */
@Command(name = "version", description = "Print the versions of Posthaste and of what it is built on.")
final class VersionCommand implements Callable<Integer> {

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        spec.commandLine().getOut().println(Version.text());
        return ExitCode.OK;
    }
}
