package dev.posthaste.examples.demo;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import dev.posthaste.relay.cli.ExitCode;
import dev.posthaste.relay.cli.FailedException;
import dev.posthaste.schemas.catalog.CatalogReader;
import dev.posthaste.testkit.ServerSettings;
import dev.posthaste.testkit.Stack;
import dev.posthaste.testkit.StackSettings;
import dev.posthaste.testkit.TestkitException;

/** {@code posthaste demo}. */
@Command(
        name = "demo",
        description = {
            "Run the library on an embedded PostgreSQL and Kafka: messages committed by real transactions arrive, once, at two handlers.",
            "Exits with 0 only if committed = on the topic = effects, and nothing is doubled, missing or out of order."
        })
final class DemoCommand implements Callable<Integer> {

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Option(
            names = "--messages",
            defaultValue = "2000",
            description = "Messages to commit (default: ${DEFAULT-VALUE}).")
    private int messages;

    @Option(
            names = "--rate",
            defaultValue = "500",
            description = "Messages a second, about (default: ${DEFAULT-VALUE}).")
    private int rate;

    @Option(
            names = "--kill-relay",
            defaultValue = "0",
            paramLabel = "K",
            description = "SIGKILL the relay so many times mid-stream.")
    private int kills;

    @Option(names = "--keep-running", description = "Leave everything running until Ctrl-C, to try things by hand.")
    private boolean keepRunning;

    @Option(
            names = "--postgres-port",
            defaultValue = "0",
            description = "Port of PostgreSQL; 0: any free one, or 54329 with --keep-running.")
    private int postgresPort;

    @Option(
            names = "--kafka-port",
            defaultValue = "0",
            description = "Port of Kafka; 0: any free one, or 29092 with --keep-running.")
    private int kafkaPort;

    @Option(
            names = "--catalog",
            paramLabel = "DIR",
            description = "Directory of the catalog; default: examples/catalog.")
    private @Nullable Path catalog;

    @Override
    public Integer call() throws Exception {
        if (messages < 1 || rate < 1 || kills < 0) {
            throw new IllegalArgumentException("--messages is " + messages + ", --rate " + rate + " and --kill-relay "
                    + kills + ", but the first two must be at least 1 and the last not negative");
        }
        PrintWriter out = spec.commandLine().getOut();
        CatalogReader.read(catalogDirectory()); // a wrong catalog is told before anything is started
        StackSettings settings = stackSettings();
        out.println("starting PostgreSQL and Kafka …");
        out.flush();
        try (DemoStack stack = new DemoStack(start(settings), catalogDirectory(), Ports.free());
                Demo demo = new Demo(stack, out)) {
            return demo.run(new Demo.Choices(messages, rate, kills, keepRunning));
        } catch (Exception e) {
            if (isEnding()) {
                return ExitCode.FAILED; // told to end while it started: nothing is wrong
            }
            throw e;
        }
    }

    private static boolean isEnding() {
        Thread probe = new Thread(() -> {}, "demo-probe");
        try {
            Runtime.getRuntime().addShutdownHook(probe);
            return !Runtime.getRuntime().removeShutdownHook(probe);
        } catch (IllegalStateException e) {
            return true;
        }
    }

    private static Stack start(StackSettings settings) {
        try {
            return Stack.start(settings);
        } catch (TestkitException e) {
            throw new FailedException(String.valueOf(e.getMessage()));
        }
    }

    private StackSettings stackSettings() {
        return StackSettings.defaults()
                .withPostgres(ServerSettings.defaults()
                        .withPort(Ports.requireFree("--postgres-port", chosen(postgresPort, 54329))))
                .withKafka(ServerSettings.defaults()
                        .withPort(Ports.requireFree("--kafka-port", chosen(kafkaPort, 29092))));
    }

    private int chosen(int port, int whenKept) {
        return port == 0 && keepRunning ? whenKept : port;
    }

    private Path catalogDirectory() {
        if (catalog != null) {
            return catalog.toAbsolutePath();
        }
        String home = System.getProperty("posthaste.home", ".");
        return Path.of(home, "examples", "catalog").toAbsolutePath().normalize();
    }
}
