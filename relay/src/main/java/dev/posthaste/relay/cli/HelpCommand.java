package dev.posthaste.relay.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code posthaste help [COMMAND…]}: the same as {@code --help}. */
@Command(name = "help", description = "Show what a command does; the same as COMMAND --help.")
final class HelpCommand implements Callable<Integer> {

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Parameters(paramLabel = "COMMAND", arity = "0..*", description = "Which; none: all of them, in a line each.")
    private final List<String> path = new ArrayList<>();

    @Override
    public Integer call() {
        CommandLine shown = spec.parent().commandLine();
        for (String name : path) {
            CommandLine next = shown.getSubcommands().get(name);
            if (next == null) {
                throw new ParameterException(
                        spec.commandLine(),
                        "there is no command " + String.join(" ", path) + "; there are "
                                + String.join(", ", shown.getSubcommands().keySet()));
            }
            shown = next;
        }
        shown.usage(spec.commandLine().getOut());
        return ExitCode.OK;
    }
}
