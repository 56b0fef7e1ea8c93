package dev.posthaste.relay.cli;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
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
import dev.posthaste.relay.quarantine.NotAtRestException;
import dev.posthaste.relay.quarantine.QuarantineDesk;
import dev.posthaste.relay.quarantine.QuarantinedMessage;
import dev.posthaste.relay.quarantine.Release;
import dev.posthaste.relay.quarantine.StillUnpublishableException;
import dev.posthaste.relay.routing.Router;
import dev.posthaste.relay.routing.Unpublishable;
import dev.posthaste.schemas.catalog.CatalogReader;
import dev.posthaste.schemas.catalog.HandlerRecord;

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
    private static final int RESOLVE_MAX = 100_000;
    private static final List<String> STATES = List.of("quarantined", "released", "discarded");

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
                    + message.quarantinedAt() + ", attempt " + message.attempt()
                    + (message.nextAttempt() == null ? "" : ", next at " + message.nextAttempt()) + "\n    "
                    + message.cause() + ": " + message.lastError();
        }
    }

    @Command(name = "list", description = "List what is quarantined, oldest first.")
    static final class ListThem extends Part {

        @Option(names = "--handler", description = "Only of this handler; '*' stands for types that are not known.")
        private @Nullable String handler;

        @Option(names = "--cause", description = "Only of this cause: ${COMPLETION-CANDIDATES}.")
        private Unpublishable.@Nullable Cause cause;

        @Option(
                names = "--state",
                defaultValue = "quarantined",
                description = "quarantined, released or discarded (default: ${DEFAULT-VALUE}).")
        @SuppressWarnings("NullAway.Init") // picocli sets it
        private String state;

        @Option(names = "--since", paramLabel = "TIME", description = "Only set aside then or later, as list shows it.")
        private @Nullable Instant since;

        @Option(names = "--until", paramLabel = "TIME", description = "Only set aside before.")
        private @Nullable Instant until;

        @Option(names = "--limit", defaultValue = "50", description = "Most to show (default: ${DEFAULT-VALUE}).")
        private int limit;

        @Override
        int run(RelaySettings settings, Connection connection, PrintWriter out) throws Exception {
            if (limit < 1 || limit > LIST_MAX) {
                throw new UsageException("--limit is " + limit + ", but must be from 1 to " + LIST_MAX);
            }
            if (!STATES.contains(state)) {
                throw new UsageException("--state is " + state + ", but must be one of " + STATES);
            }
            QuarantineDesk desk = new QuarantineDesk(connection);
            if (handler != null) {
                requireKnown(handler, settings, desk);
            }
            List<QuarantinedMessage> messages = desk.list(new QuarantineDesk.Filter(
                    handler, cause == null ? null : cause.name(), state, since, until, limit + 1));
            messages.stream().limit(limit).forEach(message -> out.println(line(message)));
            out.println(
                    messages.isEmpty()
                            ? "nothing is " + state + (isNarrowed() ? " by these options" : "")
                            : messages.size() > limit
                                    ? limit + " shown, and there are more; see --limit, --handler, --cause, --since"
                                    : messages.size() + " shown");
            return ExitCode.OK;
        }

        private boolean isNarrowed() {
            return handler != null || cause != null || since != null || until != null;
        }

        private static void requireKnown(String handler, RelaySettings settings, QuarantineDesk desk)
                throws SQLException {
            List<String> known = CatalogReader.read(settings.catalog()).handlers().stream()
                    .map(HandlerRecord::handler)
                    .sorted()
                    .toList();
            if (!handler.equals(Unpublishable.EVERY_HANDLER) && !known.contains(handler) && !desk.knows(handler)) {
                throw new UsageException("--handler is " + handler + ", but the catalog has no such handler: " + known
                        + "; '*' stands for types that are not known");
            }
        }
    }

    @Command(name = "show", description = "Show one message for every handler it is or was quarantined for.")
    static final class Show extends Part {

        @Parameters(paramLabel = "ID", description = "The message's id.")
        @SuppressWarnings("NullAway.Init") // picocli sets it
        private UUID id;

        @Override
        int run(RelaySettings settings, Connection connection, PrintWriter out) throws Exception {
            QuarantineDesk desk = new QuarantineDesk(connection);
            List<QuarantinedMessage> found = desk.show(id);
            if (found.isEmpty()) {
                throw new FailedException("message " + id + " is not quarantined and never was");
            }
            found.forEach(message -> out.println(line(message)));
            desk.audit(id)
                    .forEach(entry -> out.println(entry.at() + "  " + entry.action() + " for " + entry.handler()
                            + " by " + entry.actor() + ": " + entry.reason() + "\n    it answered " + entry.failure()));
            return ExitCode.OK;
        }
    }

    /** Release and discard. */
    abstract static class Resolve extends Part {

        @Parameters(paramLabel = "ID", arity = "0..1", description = "The message's id; or --all.")
        private @Nullable UUID id;

        @Option(
                names = "--all",
                description = "All that are quarantined for the handler at this moment, oldest first, to --limit.")
        private boolean all;

        @Option(names = "--cause", description = "With --all, only of this cause: ${COMPLETION-CANDIDATES}.")
        private Unpublishable.@Nullable Cause cause;

        @Option(
                names = "--limit",
                defaultValue = "1000",
                description = "With --all, most to resolve (default: ${DEFAULT-VALUE}).")
        private int limit;

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
            if (actor.equals(QuarantineDesk.RELAY)) {
                throw new UsageException("--actor is " + actor + ", which is the relay's own name; say who you are");
            }
            if ((id == null) != all) {
                throw new UsageException("give the id of one message, or --all for the handler's");
            }
            if (limit < 1 || limit > RESOLVE_MAX) {
                throw new UsageException("--limit is " + limit + ", but must be from 1 to " + RESOLVE_MAX);
            }
            QuarantineDesk.Responsibility who = new QuarantineDesk.Responsibility(actor, reason);
            QuarantineDesk desk = new QuarantineDesk(connection);
            return id == null
                    ? resolveAll(desk, who, out, action, resolution)
                    : resolveOne(desk, who, out, action, resolution, id);
        }

        private int resolveOne(
                QuarantineDesk desk,
                QuarantineDesk.Responsibility who,
                PrintWriter out,
                String action,
                QuarantineDesk.Resolution resolution,
                UUID messageId)
                throws Exception {
            QuarantinedMessage message = desk.resolve(messageId, handler, action, who, resolution)
                    .orElseThrow(() -> new FailedException(
                            "message " + messageId + " is not quarantined for " + handler + "; see quarantine show"));
            out.println(done(action) + " " + message.messageId() + " for " + message.handler()
                    + "; the failure it answers: " + message.cause() + ": " + message.lastError());
            return ExitCode.OK;
        }

        /** What is set aside meanwhile is not among them; one that cannot be resolved keeps nobody else. */
        private int resolveAll(
                QuarantineDesk desk,
                QuarantineDesk.Responsibility who,
                PrintWriter out,
                String action,
                QuarantineDesk.Resolution resolution)
                throws Exception {
            int resolved = 0;
            int left = 0;
            for (QuarantinedMessage message : desk.list(
                    new QuarantineDesk.Filter(handler, cause == null ? null : cause.name(), null, null, null, limit))) {
                try {
                    resolved += desk.resolve(message.messageId(), handler, action, who, resolution)
                                    .isPresent()
                            ? 1
                            : 0;
                } catch (StillUnpublishableException | NotAtRestException e) {
                    left++;
                    out.println(e.getMessage());
                }
            }
            out.println(done(action) + " " + resolved + " for " + handler
                    + (left == 0 ? "" : "; " + left + " stay quarantined"));
            return left == 0 ? ExitCode.OK : ExitCode.FAILED;
        }

        private static String done(String action) {
            return action.equals("release") ? "released" : "discarded";
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
