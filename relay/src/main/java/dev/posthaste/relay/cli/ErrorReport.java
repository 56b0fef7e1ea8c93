package dev.posthaste.relay.cli;

import java.io.PrintWriter;
import java.sql.SQLException;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigException;
import org.flywaydb.core.api.FlywayException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

import dev.posthaste.relay.HaltException;
import dev.posthaste.relay.lease.FencedException;
import dev.posthaste.relay.quarantine.NotAtRestException;
import dev.posthaste.relay.quarantine.StillUnpublishableException;
import dev.posthaste.relay.setup.SetupException;
import dev.posthaste.schemas.catalog.CatalogException;

/** Tells an error in one clear line, without passwords, and chooses the exit code. */
final class ErrorReport implements IExecutionExceptionHandler, IParameterExceptionHandler {

    /** The password of a URL, in either of its places. */
    private static final Pattern PASSWORD = Pattern.compile("(://[^:/@\\s]*:)[^\\s]*(?=@)|([?&]password=)[^&\\s'\"]*");

    private static final int CAUSES_MAX = 20;

    private final BooleanSupplier verbose;

    ErrorReport(BooleanSupplier verbose) {
        this.verbose = verbose;
    }

    @Override
    public int handleParseException(ParameterException e, String[] arguments) {
        CommandLine line = e.getCommandLine();
        PrintWriter err = line.getErr();
        String command = line.getCommandSpec().qualifiedName();
        err.println(command + ": " + withoutPasswords(String.valueOf(e.getMessage())));
        if (e instanceof UnmatchedArgumentException unmatched) {
            UnmatchedArgumentException.printSuggestions(unmatched, err);
        }
        err.println("Try `" + command + " --help`.");
        return ExitCode.USAGE;
    }

    @Override
    public int handleExecutionException(Exception e, CommandLine line, ParseResult parsed) {
        PrintWriter err = line.getErr();
        err.println(line.getCommandSpec().qualifiedName() + ": " + withoutPasswords(text(e)));
        if (verbose.getAsBoolean()) {
            e.printStackTrace(err);
        } else if (exitCode(e) == ExitCode.BUG) {
            err.println("This is a fault of Posthaste. Run it again with --verbose and report what it says.");
        }
        return exitCode(e);
    }

    static String withoutPasswords(String text) {
        return PASSWORD.matcher(text).replaceAll("$1$2***");
    }

    private static String text(Exception e) {
        if (isOurs(e)) {
            return String.valueOf(e.getMessage());
        }
        Throwable failure = storeFailure(e);
        return failure == null
                ? e.getClass().getSimpleName() + ": " + firstLine(deepestMessage(e))
                : storeOf(failure) + ": " + firstLine(String.valueOf(failure.getMessage()));
    }

    private static String deepestMessage(Exception e) {
        List<String> messages = causes(e)
                .map(Throwable::getMessage)
                .filter(message -> message != null)
                .toList();
        return messages.isEmpty() ? e.toString() : messages.get(messages.size() - 1);
    }

    private static String firstLine(String text) {
        return text.lines()
                .map(String::strip)
                .filter(part -> !part.isEmpty())
                .findFirst()
                .orElse(text);
    }

    private static boolean isOurs(Exception e) {
        return e instanceof FailedException
                || e instanceof SetupException
                || e instanceof FencedException
                || e instanceof StillUnpublishableException
                || e instanceof NotAtRestException
                || e instanceof HaltException
                || isUsage(e) && !(e instanceof ConfigException);
    }

    /** Kafka's clients refuse a property's value when they are made; that no address resolves is an outage. */
    private static boolean isUsage(Exception e) {
        return e instanceof UsageException
                || e instanceof CatalogException
                || e instanceof IllegalArgumentException
                || causes(e)
                        .anyMatch(cause -> cause instanceof ConfigException
                                && !String.valueOf(cause.getMessage()).startsWith("No resolvable bootstrap urls"));
    }

    /** The exception in which a store's driver says what happened; null if none did. */
    private static @Nullable Throwable storeFailure(Exception e) {
        return Stream.of(SQLException.class, ConfigException.class, KafkaException.class, FlywayException.class)
                .flatMap(type -> causes(e).filter(type::isInstance))
                .findFirst()
                .orElse(null);
    }

    private static String storeOf(Throwable failure) {
        return failure instanceof KafkaException ? "Kafka" : "PostgreSQL";
    }

    private static Stream<Throwable> causes(Throwable e) {
        return Stream.iterate(e, cause -> cause != null, Throwable::getCause).limit(CAUSES_MAX);
    }

    private static int exitCode(Exception e) {
        if (isUsage(e)) {
            return ExitCode.USAGE;
        }
        Throwable failure = storeFailure(e);
        if (isOurs(e) || failure instanceof FlywayException) {
            return ExitCode.FAILED;
        }
        return failure == null ? ExitCode.BUG : ExitCode.STORE_AWAY;
    }
}
