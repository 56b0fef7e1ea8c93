package dev.posthaste.relay.cli;

import java.io.PrintWriter;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.Callable;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import dev.posthaste.relay.HaltReason;
import dev.posthaste.relay.RelaySettings;
import dev.posthaste.relay.Repair;
import dev.posthaste.relay.health.RelayMeters;
import dev.posthaste.schemas.catalog.CatalogReader;

/** {@code posthaste repair}: closes a gap. */
@Command(
        name = "repair",
        description = {
            "Close a gap: make a new slot, publish what neither evidence nor topics know, marked as repaired, and let streaming resume.",
            "Safe while writers go on, safe to run twice, safe to kill. Relays stand by or are halted meanwhile."
        })
class RepairCommand implements Callable<Integer> {

    /** A halted relay takes the lease for a moment every few seconds, to look again. */
    private static final Duration LEASE_TIMEOUT = Duration.ofSeconds(20);

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Mixin
    private final SettingsOptions options = new SettingsOptions();

    @Option(names = "--dry-run", description = "Say what would be done, and change nothing.")
    private boolean dryRun;

    @Option(
            names = "--cause",
            paramLabel = "CAUSE",
            description = {
                "What a relay halted with, where that cannot be seen from position and slot: EVIDENCE_INCOMPLETE, or",
                "POSITION_UNREADABLE for a damaged position (not for one of a newer version, which that version can read)."
            })
    private HaltReason.@Nullable Cause cause;

    /** Whether the position may be of another server, database or timeline. */
    boolean anotherDatabase() {
        return false;
    }

    @Override
    public Integer call() throws Exception {
        RelaySettings settings = options.read();
        Repair repair = repair(settings);
        if (dryRun) {
            return repair.examine() == null ? ExitCode.OK : ExitCode.FAILED;
        }
        repair.run(anotherDatabase(), LEASE_TIMEOUT);
        return ExitCode.OK;
    }

    private Repair repair(RelaySettings settings) throws UnknownHostException {
        PrintWriter out = spec.commandLine().getOut();
        try {
            return new Repair(
                    settings,
                    ProcessName.unique(),
                    CatalogReader.read(settings.catalog()),
                    new RelayMeters(new SimpleMeterRegistry()),
                    line -> {
                        out.println(line);
                        out.flush();
                    },
                    cause);
        } catch (IllegalArgumentException e) {
            throw new UsageException(String.valueOf(e.getMessage()));
        }
    }
}
