package dev.posthaste.relay.cli;

import java.io.PrintWriter;
import java.sql.Connection;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import dev.posthaste.relay.RelaySettings;
import dev.posthaste.relay.publishing.KafkaPublisher;
import dev.posthaste.relay.quarantine.QuarantineDesk;
import dev.posthaste.relay.quarantine.QuarantinedMessage;
import dev.posthaste.relay.quarantine.Release;
import dev.posthaste.relay.routing.Router;
import dev.posthaste.schemas.catalog.CatalogReader;

/** {@code posthaste quarantine list | show | release | discard}. */
@Command(
        name = "quarantine",
        description = "Look after messages that could not be published to a handler.",
        subcommands = {
            QuarantineCommand.ListThem.class,
            QuarantineCommand.Show.class,
            QuarantineCommand.ReleaseOne.class,
            QuarantineCommand.DiscardOne.class
        })
final class QuarantineCommand implements Runnable {

    private static final int LIST_MAX = 1000;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "list, show, release or discard?");
    }

    /** What the four have in common. */
    abstract static class Part implements Callable<Integer> {

        @Spec
        @SuppressWarnings("NullAway.Init") // picocli sets it
        CommandSpec spec;

        @Mixin
        final SettingsOptions options = new SettingsOptions();

        abstract int run(RelaySettings settings, Connection connection, PrintWriter out) throws Exception;

        @Override
        public Integer call() throws Exception {
            RelaySettings settings = options.read();
            PrintWriter out = spec.commandLine().getOut();
            try (Connection connection = settings.database().connect("posthaste-quarantine")) {
                return run(settings, connection, out);
            } finally {
                out.flush();
            }
        }

        static String line(QuarantinedMessage message) {
            return message.messageId() + "  " + message.handler() + "  " + message.state() + "  "
                    + (message.type() == null ? "(dropped by retention)" : message.type()) + "  since "
                    + message.quarantinedAt() + ", attempt " + message.attempt() + "\n    " + message.cause() + ": "
                    + message.lastError();
        }
    }

    @Command(name = "list", description = "List what is quarantined, oldest first.")
    static final class ListThem extends Part {

        @Option(names = "--handler", description = "Only of this handler; '*' stands for types that are not known.")
        private @Nullable String handler;

        @Option(names = "--limit", defaultValue = "50", description = "Most to show (default: ${DEFAULT-VALUE}).")
        private int limit;

        @Override
        int run(RelaySettings settings, Connection connection, PrintWriter out) throws Exception {
            if (limit < 1 || limit > LIST_MAX) {
                throw new UsageException("--limit is " + limit + ", but must be from 1 to " + LIST_MAX);
            }
            List<QuarantinedMessage> messages = new QuarantineDesk(connection).list(handler, limit);
            messages.forEach(message -> out.println(line(message)));
            out.println(messages.isEmpty() ? "nothing is quarantined" : messages.size() + " shown");
            return ExitCode.OK;
        }
    }

    @Command(name = "show", description = "Show one message for every handler it is or was quarantined for.")
    static final class Show extends Part {

        @Parameters(paramLabel = "ID", description = "The message's id.")
        @SuppressWarnings("NullAway.Init") // picocli sets it
        private UUID id;

        @Override
        int run(RelaySettings settings, Connection connection, PrintWriter out) throws Exception {
            List<QuarantinedMessage> found = new QuarantineDesk(connection).show(id);
            if (found.isEmpty()) {
                throw new FailedException("message " + id + " is not quarantined and never was");
            }
            found.forEach(message -> out.println(line(message)));
            return ExitCode.OK;
        }
    }

    /** Release and discard. */
    abstract static class Resolve extends Part {

        @Parameters(paramLabel = "ID", description = "The message's id.")
        @SuppressWarnings("NullAway.Init") // picocli sets it
        private UUID id;

        @Option(names = "--handler", required = true, description = "The handler, as list shows it.")
        @SuppressWarnings("NullAway.Init") // picocli sets it
        private String handler;

        @Option(names = "--actor", required = true, description = "Who does this; goes into the audit.")
        @SuppressWarnings("NullAway.Init") // picocli sets it
        private String actor;

        @Option(names = "--reason", required = true, description = "Why; goes into the audit.")
        @SuppressWarnings("NullAway.Init") // picocli sets it
        private String reason;

        final int resolve(Connection connection, PrintWriter out, String action, QuarantineDesk.Resolution resolution)
                throws Exception {
            QuarantineDesk.Responsibility who = new QuarantineDesk.Responsibility(actor, reason);
            QuarantinedMessage message = new QuarantineDesk(connection)
                    .resolve(id, handler, action, who, resolution)
                    .orElseThrow(() -> new FailedException(
                            "message " + id + " is not quarantined for " + handler + "; see quarantine show"));
            out.println((action.equals("release") ? "released " : "discarded ") + message.messageId() + " for "
                    + message.handler() + "; the failure it answers: " + message.cause() + ": " + message.lastError());
            return ExitCode.OK;
        }
    }

    @Command(
            name = "release",
            description = {
                "Publish a message after all, with its id and bytes, marked as released: it comes outside the commit order.",
                "Its fault must be gone: by the catalog, or by the topic's limit."
            })
    static final class ReleaseOne extends Resolve {

        @Override
        int run(RelaySettings settings, Connection connection, PrintWriter out) throws Exception {
            Router router = new Router(settings.namespace(), CatalogReader.read(settings.catalog()));
            try (KafkaPublisher publisher = KafkaPublisher.open(settings.operator())) {
                return resolve(connection, out, "release", new Release(connection, router, publisher));
            }
        }
    }

    @Command(
            name = "discard",
            description = "Give a message up for a handler. It stays in outbox.message until retention drops it.")
    static final class DiscardOne extends Resolve {

        @Override
        int run(RelaySettings settings, Connection connection, PrintWriter out) throws Exception {
            return resolve(connection, out, "discard", message -> {});
        }
    }
}
