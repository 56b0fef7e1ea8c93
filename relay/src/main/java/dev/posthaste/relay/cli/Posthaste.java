package dev.posthaste.relay.cli;

import java.util.ServiceLoader;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The {@code posthaste} command. */
@Command(
        name = "posthaste",
        description = "Transactional outbox relay: from PostgreSQL's WAL to Kafka, exactly once.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        subcommands = {
            InitCommand.class,
            RelayCommand.class,
            StatusCommand.class,
            DoctorCommand.class,
            QuarantineCommand.class,
            RepairCommand.class,
            PositionCommand.class,
            VersionCommand.class,
            HelpCommand.class
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:done, and all is as it should be",
            "1:the answer is no: a check failed, a step was refused",
            "2:the command line or the settings are wrong",
            "3:PostgreSQL or Kafka cannot be reached or refuses",
            "70:a fault of Posthaste itself",
            "130:ended by SIGINT (Ctrl-C), as asked, after closing everything",
            "143:ended by SIGTERM, as asked, after closing everything"
        })
public final class Posthaste implements Runnable {

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Option(names = "--verbose", description = "Show the cause of an error in full.", scope = ScopeType.INHERIT)
    boolean verbose;

    /** Without a command there is nothing to do but to say which there are. */
    @Override
    public void run() {
        throw new CommandLine.ParameterException(spec.commandLine(), "which command?");
    }

    /** Runs the command and returns its exit code. */
    public static int execute(String... arguments) {
        return commandLine().execute(arguments);
    }

    /** All commands, ready to be run once. */
    public static CommandLine commandLine() {
        Posthaste root = new Posthaste();
        CommandLine line = new CommandLine(root);
        for (CommandProvider provider : ServiceLoader.load(CommandProvider.class)) {
            line.addSubcommand(new CommandLine(provider.command()));
        }
        helpEverywhere(line);
        ErrorReport report = new ErrorReport(() -> root.verbose);
        line.setExecutionExceptionHandler(report);
        line.setParameterExceptionHandler(report);
        return line;
    }

    private static void helpEverywhere(CommandLine line) {
        for (CommandLine command : line.getSubcommands().values()) {
            command.getCommandSpec().mixinStandardHelpOptions(true).versionProvider(new Version());
            helpEverywhere(command);
        }
    }

    /** Runs the command and exits with its code. */
    public static void main(String[] arguments) {
        Logging.configureFor(arguments);
        System.exit(execute(arguments));
    }
}
