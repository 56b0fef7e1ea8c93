package dev.posthaste.relay.cli;

import java.io.IOException;
import java.sql.SQLException;
import java.util.function.BooleanSupplier;

import org.apache.kafka.common.KafkaException;
import org.flywaydb.core.api.FlywayException;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.ParseResult;

import dev.posthaste.relay.HaltException;
import dev.posthaste.relay.lease.FencedException;
import dev.posthaste.relay.quarantine.StillUnpublishableException;
import dev.posthaste.relay.setup.SetupException;
import dev.posthaste.schemas.catalog.CatalogException;

/** Tells an error in one clear line, and chooses the exit code. */
final class ErrorReport implements IExecutionExceptionHandler {

    private final BooleanSupplier verbose;

    ErrorReport(BooleanSupplier verbose) {
        this.verbose = verbose;
    }

    @Override
    public int handleExecutionException(Exception e, CommandLine line, ParseResult parsed) {
        line.getErr().println("posthaste " + line.getCommandName() + ": " + text(e));
        if (verbose.getAsBoolean()) {
            e.printStackTrace(line.getErr());
        } else if (exitCode(e) == ExitCode.BUG) {
            line.getErr().println("This is a fault of Posthaste. Run it again with --verbose and report what it says.");
        }
        return exitCode(e);
    }

    private static String text(Exception e) {
        if (isOurs(e)) {
            return String.valueOf(e.getMessage());
        }
        String deepest = null;
        for (Throwable cause = e; cause != null && cause != cause.getCause(); cause = cause.getCause()) {
            deepest = cause.getMessage() == null ? deepest : cause.getMessage();
        }
        String store = storeOf(e);
        return (store.isEmpty() ? e.getClass().getSimpleName() : store) + ": "
                + (deepest == null ? e : firstLine(deepest));
    }

    private static String firstLine(String text) {
        return text.lines()
                .map(String::strip)
                .filter(part -> !part.isEmpty())
                .findFirst()
                .orElse(text);
    }

    private static boolean isOurs(Exception e) {
        return e instanceof UsageException
                || e instanceof FailedException
                || e instanceof SetupException
                || e instanceof FencedException
                || e instanceof StillUnpublishableException
                || e instanceof HaltException
                || e instanceof CatalogException
                || e instanceof IllegalArgumentException;
    }

    private static String storeOf(Throwable e) {
        for (Throwable cause = e; cause != null && cause != cause.getCause(); cause = cause.getCause()) {
            if (cause instanceof SQLException || cause instanceof FlywayException) {
                return "PostgreSQL";
            }
            if (cause instanceof KafkaException) {
                return "Kafka";
            }
        }
        return "";
    }

    private static int exitCode(Exception e) {
        if (e instanceof UsageException || e instanceof CatalogException || e instanceof IllegalArgumentException) {
            return ExitCode.USAGE;
        }
        if (isOurs(e)) {
            return ExitCode.FAILED;
        }
        return storeOf(e).isEmpty() && !(e instanceof IOException) ? ExitCode.BUG : ExitCode.STORE_AWAY;
    }
}
