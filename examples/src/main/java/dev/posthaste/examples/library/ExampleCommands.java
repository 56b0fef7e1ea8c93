package dev.posthaste.examples.library;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

import dev.posthaste.relay.cli.CommandProvider;

/** Adds {@code posthaste example}. */
public final class ExampleCommands implements CommandProvider {

    @Override
    public Object command() {
        return new Example();
    }

    @Command(
            name = "example",
            description =
                    "Run a part of the example: the lending service, one of its two handlers, or a look at what they wrote.",
            subcommands = {
                LendingCommand.class,
                HandlerCommand.DueNotice.class,
                HandlerCommand.Counting.class,
                SqlCommand.class,
                TopicCommand.class
            })
    static final class Example implements Runnable {

        @Spec
        @SuppressWarnings("NullAway.Init") // picocli sets it
        private CommandSpec spec;

        @Override
        public void run() {
            throw new ParameterException(spec.commandLine(), "which part of the example?");
        }
    }
}
