package dev.posthaste.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

import dev.posthaste.relay.cli.Posthaste;

/** A relay as a process of its own, with the default settings and a heap of 256 MB. Not thread-safe. */
final class RelayProcess implements AutoCloseable {

    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(30);

    private final Process process;

    private RelayProcess(Process process) {
        this.process = process;
    }

    static RelayProcess start(Map<String, String> environment) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx256m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        RelayProcess.class.getName())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD);
        builder.environment().keySet().removeIf(name -> name.startsWith("POSTHASTE_"));
        builder.environment().putAll(environment);
        return new RelayProcess(builder.start());
    }

    /** The relay itself; it ends with the process that started it. */
    public static void main(String[] arguments) {
        ProcessHandle.current().parent().ifPresent(parent -> {
            var unused = parent.onExit().thenRun(() -> Runtime.getRuntime().halt(1));
        });
        Posthaste.main(new String[] {"relay"});
    }

    /** Most memory it ever had resident, in megabytes, where the system tells. */
    OptionalLong mostResidentMegabytes() throws IOException {
        Path status = Path.of("/proc", Long.toString(process.pid()), "status");
        if (!Files.exists(status)) {
            return OptionalLong.empty();
        }
        List<String> lines = Files.readAllLines(status);
        return lines.stream()
                .filter(line -> line.startsWith("VmHWM:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) / 1024)
                .findFirst();
    }

    @Override
    public void close() throws InterruptedException {
        process.destroy();
        if (!process.waitFor(STOP_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
            process.destroyForcibly().waitFor();
        }
    }
}
