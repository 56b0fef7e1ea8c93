package dev.posthaste.relay.cli;

import java.io.PrintWriter;
import java.util.Optional;
import java.util.concurrent.Callable;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import dev.posthaste.relay.RelaySettings;
import dev.posthaste.relay.setup.Initializer;
import dev.posthaste.relay.setup.StepResult;
import dev.posthaste.relay.setup.TableSetup;
import dev.posthaste.schemas.catalog.Catalog;
import dev.posthaste.schemas.catalog.CatalogReader;

/** {@code posthaste init}. */
@Command(
        name = "init",
        description = {
            "Make everything a relay needs: tables, roles and publication; the slot; the topics; the first position.",
            "It may be run again at any time, also beside a running relay: what is there is left as it is."
        })
final class InitCommand implements Callable<Integer> {

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Mixin
    private final SettingsOptions options = new SettingsOptions();

    @Option(
            names = "--partitions",
            defaultValue = "6",
            description = "Of each handler topic made (default: ${DEFAULT-VALUE}).")
    private int partitions;

    @Option(names = "--replication-factor", description = "Of each topic made; default: the broker's.")
    private @Nullable Short replicationFactor;

    @Option(
            names = "--leave-earlier",
            description = "Leave messages unpublished that were staged before there was a slot.")
    private boolean leaveEarlier;

    @Option(
            names = "--accept-partitions",
            description = "Take topics with another number of partitions than first seen for right from here on.")
    private boolean acceptPartitions;

    @Option(names = "--inbox", description = "Make the tables of the inbox in the same database as well.")
    private boolean inbox;

    @Override
    public Integer call() throws Exception {
        if (partitions < 1) {
            throw new UsageException("--partitions is " + partitions + ", but must be at least 1");
        }
        if (replicationFactor != null && replicationFactor < 1) {
            throw new UsageException("--replication-factor is " + replicationFactor + ", but must be at least 1");
        }
        RelaySettings settings = options.read();
        Catalog catalog = CatalogReader.read(settings.catalog());
        new Initializer(settings, this::print)
                .run(
                        catalog,
                        new Initializer.Choices(
                                partitions, Optional.ofNullable(replicationFactor), leaveEarlier, acceptPartitions));
        if (inbox) {
            new TableSetup(settings.database()).migrateInbox().forEach(this::print);
        }
        return ExitCode.OK;
    }

    private void print(StepResult step) {
        PrintWriter out = spec.commandLine().getOut();
        out.println((step.made() ? "made   " : "there  ") + step.text());
        out.flush();
    }
}
