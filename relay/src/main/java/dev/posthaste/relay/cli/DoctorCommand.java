package dev.posthaste.relay.cli;

import java.io.PrintWriter;
import java.time.Clock;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import dev.posthaste.relay.RelaySettings;
import dev.posthaste.relay.doctor.Doctor;
import dev.posthaste.relay.doctor.Finding;
import dev.posthaste.schemas.catalog.CatalogReader;

/** {@code posthaste doctor}. */
@Command(
        name = "doctor",
        description = {
            "Examine PostgreSQL, Kafka and what lies between, as the role the relay runs as; changes nothing.",
            "Exits with 1 if any finding is an error."
        })
final class DoctorCommand implements Callable<Integer> {

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Mixin
    private final SettingsOptions options = new SettingsOptions();

    @Option(names = "--json", description = "Print the findings as a JSON array.")
    private boolean json;

    @Override
    public Integer call() throws Exception {
        RelaySettings settings = options.read();
        List<Finding> findings =
                new Doctor(settings, Clock.systemUTC()).examine(CatalogReader.read(settings.catalog()));
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            ObjectMapper mapper = JsonMapper.builder()
                    .enable(SerializationFeature.INDENT_OUTPUT)
                    .build();
            out.println(mapper.writeValueAsString(findings));
        } else {
            findings.forEach(finding -> print(finding, out));
        }
        out.flush();
        return findings.stream().anyMatch(finding -> finding.severity() == Finding.Severity.ERROR)
                ? ExitCode.FAILED
                : ExitCode.OK;
    }

    private static void print(Finding finding, PrintWriter out) {
        out.println(String.format(
                Locale.ROOT,
                "%-8s %s: %s",
                finding.severity().name().toLowerCase(Locale.ROOT),
                finding.subject(),
                finding.what()));
        if (finding.severity() != Finding.Severity.OK) {
            out.println("         why:  " + finding.why());
            out.println("         mend: " + finding.remedy());
        }
    }
}
