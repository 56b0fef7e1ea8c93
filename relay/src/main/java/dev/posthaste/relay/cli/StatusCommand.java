package dev.posthaste.relay.cli;

import java.io.PrintWriter;
import java.util.concurrent.Callable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

import dev.posthaste.relay.RelaySettings;
import dev.posthaste.relay.status.OutboxStatus;
import dev.posthaste.relay.status.StatusReader;
import dev.posthaste.schemas.catalog.CatalogReader;

/** {@code posthaste status}: one screen. */
@Command(
        name = "status",
        description = {
            "Show on one screen who leads, how far the outbox is published, what waits, and what the slot holds back.",
            "Exits with 1 when nobody leads or the slot is missing or lost."
        })
final class StatusCommand implements Callable<Integer> {

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Mixin
    private final SettingsOptions options = new SettingsOptions();

    @Override
    public Integer call() throws Exception {
        RelaySettings settings = options.read();
        OutboxStatus status = new StatusReader(settings).read(CatalogReader.read(settings.catalog()));
        PrintWriter out = spec.commandLine().getOut();
        StatusScreen.lines(settings, status).forEach(out::println);
        out.flush();
        return status.isHealthy() ? ExitCode.OK : ExitCode.FAILED;
    }
}
