package dev.posthaste.relay.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code posthaste position rebase}. */
@Command(name = "position", description = "Look after the position record.", subcommands = PositionCommand.Rebase.class)
final class PositionCommand implements Runnable {

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "rebase?");
    }

    /** A repair that also takes this database for the outbox, although the position says otherwise. */
    @Command(
            name = "rebase",
            description = {
                "After a restore, a failover or an upgrade: take this database for the outbox although the position is of another server,",
                "timeline or time, and close the gap as repair does. Only where that is so: messages of the other database that this one",
                "lacks stay published, and nothing tells of them here."
            })
    static final class Rebase extends RepairCommand {

        @Override
        boolean anotherDatabase() {
            return true;
        }
    }
}
