package dev.posthaste.examples.inbox;

import java.io.PrintWriter;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;

import com.zaxxer.hikari.HikariDataSource;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import dev.posthaste.consumer.replay.DeadLetter;
import dev.posthaste.consumer.replay.DeadLetterQuery;
import dev.posthaste.consumer.replay.InboxDesk;
import dev.posthaste.consumer.replay.JournalEntry;
import dev.posthaste.consumer.replay.ReplayReport;
import dev.posthaste.consumer.replay.Selection;
import dev.posthaste.examples.library.Database;
import dev.posthaste.relay.cli.FailedException;

/** {@code posthaste inbox counts | list | show | requeue | discard}. */
@Command(
        name = "inbox",
        description = "Look after the dead letters in a consuming service's inbox.",
        subcommands = {
            InboxCommand.Counts.class,
            InboxCommand.ListThem.class,
            InboxCommand.Show.class,
            InboxCommand.Requeue.class,
            InboxCommand.Discard.class
        })
final class InboxCommand implements Runnable {

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "counts, list, show, requeue or discard?");
    }

    /** What they have in common. */
    abstract static class Part implements Callable<Integer> {

        private static final String JDBC = "jdbc:postgresql:";

        /** A schema, table or column that is not there. */
        private static final Set<String> MISSING = Set.of("3F000", "42P01", "42703");

        @Spec
        @SuppressWarnings("NullAway.Init") // picocli sets it
        CommandSpec spec;

        @Option(
                names = "--database",
                required = true,
                paramLabel = "URL",
                description = "JDBC URL of the consuming service's database.")
        @SuppressWarnings("NullAway.Init") // picocli sets it
        private String database;

        abstract void run(InboxDesk desk, PrintWriter out) throws SQLException;

        @Override
        public Integer call() throws SQLException {
            PrintWriter out = spec.commandLine().getOut();
            if (!database.startsWith(JDBC)) {
                throw new ParameterException(
                        spec.commandLine(),
                        "--database is no JDBC URL of PostgreSQL; it begins with " + JDBC
                                + ", and user and password are parameters: " + JDBC
                                + "//host:5432/name?user=…&password=…");
            }
            try (HikariDataSource pool = Database.pool(database, 1)) {
                run(new InboxDesk(pool), out);
            } catch (NoSuchElementException e) {
                throw new FailedException(String.valueOf(e.getMessage()));
            } catch (SQLException e) {
                if (MISSING.contains(String.valueOf(e.getSQLState()))) {
                    throw new FailedException("there is no inbox in this database, or an older one: run `posthaste init"
                            + " --inbox` (" + e.getMessage() + ")");
                }
                throw e;
            } finally {
                out.flush();
            }
            return 0;
        }
    }

    /** Which dead letters. */
    static final class Filter {

        @Option(names = "--handler", required = true, description = "Whose.")
        @SuppressWarnings("NullAway.Init") // picocli sets it
        private String handler;

        @Option(names = "--code", description = "Only with this cause, as list shows it.")
        private @Nullable String code;

        @Option(names = "--tenant", description = "Only of this tenant; '' for those of none.")
        private @Nullable String tenant;

        @Option(names = "--key", description = "Only with this ordering key.")
        private @Nullable String key;

        @Option(names = "--since", paramLabel = "TIME", description = "Only those that failed then or later.")
        private @Nullable Instant since;

        @Option(names = "--until", paramLabel = "TIME", description = "Only those that failed before.")
        private @Nullable Instant until;

        DeadLetterQuery query() {
            DeadLetterQuery query = DeadLetterQuery.of(handler).withFailed(since, until);
            query = code == null ? query : query.withCode(code);
            query = tenant == null ? query : query.withTenant(tenant);
            return key == null ? query : query.withKey(key);
        }

        boolean isNarrowed() {
            return code != null || key != null || since != null || until != null;
        }
    }

    /** Who, and why. */
    static final class By {

        @Option(names = "--actor", required = true, description = "Who does this; it is recorded.")
        @SuppressWarnings("NullAway.Init") // picocli sets it
        private String actor;

        @Option(names = "--reason", required = true, description = "Why; it is recorded.")
        @SuppressWarnings("NullAway.Init") // picocli sets it
        private String reason;
    }

    @Command(name = "counts", description = "Count a handler's deliveries by state.")
    static final class Counts extends Part {

        @Option(names = "--handler", required = true, description = "Whose.")
        @SuppressWarnings("NullAway.Init") // picocli sets it
        private String handler;

        @Override
        void run(InboxDesk desk, PrintWriter out) throws SQLException {
            desk.counts(handler).forEach((state, count) -> out.println(state + "  " + count));
        }
    }

    @Command(name = "list", description = "List dead letters, in the order in which they first failed.")
    static final class ListThem extends Part {

        @Mixin
        private final Filter filter = new Filter();

        @Option(names = "--limit", defaultValue = "50", description = "Most to show (default: ${DEFAULT-VALUE}).")
        private int limit;

        @Override
        void run(InboxDesk desk, PrintWriter out) throws SQLException {
            List<DeadLetter> letters = desk.list(filter.query(), limit);
            for (DeadLetter letter : letters) {
                out.println(letter.messageId() + "  " + (letter.tenant().isEmpty() ? "-" : letter.tenant())
                        + "  failed " + letter.failedAt() + ", attempts " + letter.attempt());
                out.println("    " + letter.code() + ": " + letter.summary());
            }
            out.println(letters.size() + (letters.size() == limit ? " shown; there may be more: --limit" : " shown"));
        }
    }

    @Command(name = "show", description = "Tell everything that happened to a message.")
    static final class Show extends Part {

        @Parameters(paramLabel = "ID", description = "The message.")
        @SuppressWarnings("NullAway.Init") // picocli sets it
        private UUID id;

        @Override
        void run(InboxDesk desk, PrintWriter out) throws SQLException {
            List<JournalEntry> history = desk.history(id);
            if (history.isEmpty()) {
                throw new FailedException(
                        "nothing is known of message " + id + ": it never came, or completed at its first attempt");
            }
            for (JournalEntry entry : history) {
                out.println(
                        entry.at() + "  " + entry.handler() + "  " + entry.outcome() + "  attempt " + entry.attempt()
                                + " on " + entry.host()
                                + (entry.actor() == null ? "" : " by " + entry.actor() + ": " + entry.reason()));
                if (entry.code() != null) {
                    out.println("    " + entry.code() + ": " + entry.summary());
                }
            }
        }
    }

    /** One or all. */
    static final class Which {

        @Parameters(paramLabel = "ID", arity = "1", description = "The message.")
        private @Nullable UUID id;

        @Option(names = "--all", description = "All that the other options select.")
        private boolean all;
    }

    @Command(name = "requeue", description = "Have dead letters run again.")
    static final class Requeue extends Part {

        @ArgGroup(multiplicity = "1")
        private final Which which = new Which();

        @Mixin
        private final Filter filter = new Filter();

        @Mixin
        private final By by = new By();

        @Option(names = "--rate", defaultValue = "50", description = "How many a second (default: ${DEFAULT-VALUE}).")
        private int rate;

        @Option(names = "--dry-run", description = "With --all: count them and do nothing.")
        private boolean dryRun;

        @Override
        void run(InboxDesk desk, PrintWriter out) throws SQLException {
            UUID one = which.all ? null : which.id;
            if (one != null) {
                if (dryRun || filter.isNarrowed()) {
                    throw new ParameterException(
                            spec.commandLine(), "--code, --key, --since, --until and --dry-run are for --all");
                }
                String tenant = filter.tenant == null ? "" : filter.tenant;
                tell(out, desk.requeue(filter.handler, tenant, one, by.actor, by.reason));
                return;
            }
            Selection selection = desk.select(filter.query());
            out.println("selection " + selection.id() + ": " + selection.size() + " " + selection.description());
            if (!dryRun) {
                tell(out, desk.replay(selection, by.actor, by.reason, rate));
            }
        }

        private static void tell(PrintWriter out, ReplayReport report) {
            out.println("replay " + report.id() + ": " + report.requeued() + " requeued, " + report.alreadyDone()
                    + " already done, " + report.noDeadLetter() + " no dead letters any more, " + report.quarantined()
                    + " to be released at the relay");
        }
    }

    @Command(name = "discard", description = "Give a dead letter up.")
    static final class Discard extends Part {

        @Parameters(paramLabel = "ID", description = "The message.")
        @SuppressWarnings("NullAway.Init") // picocli sets it
        private UUID id;

        @Option(names = "--handler", required = true, description = "Whose.")
        @SuppressWarnings("NullAway.Init") // picocli sets it
        private String handler;

        @Option(names = "--tenant", defaultValue = "", description = "Its tenant (default: none).")
        @SuppressWarnings("NullAway.Init") // picocli sets it
        private String tenant;

        @Mixin
        private final By by = new By();

        @Override
        void run(InboxDesk desk, PrintWriter out) throws SQLException {
            if (!desk.discard(handler, tenant, id, by.actor, by.reason)) {
                throw new FailedException("message " + id + " is no dead letter of " + handler);
            }
            out.println("message " + id + " is discarded");
        }
    }
}
