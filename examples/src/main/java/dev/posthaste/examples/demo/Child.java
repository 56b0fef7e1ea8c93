package dev.posthaste.examples.demo;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import dev.posthaste.relay.cli.Posthaste;

/**
 * A process of the demo: {@code posthaste} with other arguments, its output in a file. Its {@link #main} ends the
 * process when the demo dies, so that a demo that is killed leaves nothing behind. Used by one thread.
 */
final class Child implements AutoCloseable {

    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(40);

    private final String name;
    private final Path log;
    private final Process process;

    private Child(String name, Path log, Process process) {
        this.name = name;
        this.log = log;
        this.process = process;
    }

    /** Starts it with its log and temporary files in that directory; a log there is goes on. */
    static Child start(String name, Path directory, Map<String, String> environment, List<String> arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xmx256m",
                // What a killed one leaves there goes with the demo's directory.
                "-Djava.io.tmpdir=" + directory,
                "-cp",
                System.getProperty("java.class.path"),
                Child.class.getName()));
        command.addAll(arguments);
        Path log = directory.resolve(name + ".log");
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
        builder.environment().putAll(environment);
        try {
            return new Child(name, log, builder.start());
        } catch (IOException e) {
            throw new UncheckedIOException(name + " cannot be started", e);
        }
    }

    /** Runs a command of {@code posthaste} until it ends, or its parent does. */
    public static void main(String[] arguments) {
        ProcessHandle.current().parent().ifPresent(parent -> {
            // Its servers died with it: there is nothing to drain into.
            var unused = parent.onExit().thenRun(() -> Runtime.getRuntime().halt(1));
        });
        Posthaste.main(arguments);
    }

    String name() {
        return name;
    }

    Path log() {
        return log;
    }

    boolean isAlive() {
        return process.isAlive();
    }

    int exitCode() {
        return process.exitValue();
    }

    /** SIGKILL, and waits until the process is gone. */
    void kill() throws InterruptedException {
        process.destroyForcibly();
        process.waitFor();
    }

    /** SIGKILL, for when nobody may interrupt any more. */
    void killNow() {
        process.destroyForcibly().onExit().join();
    }

    /** Waits for its end. */
    boolean awaitEnd(Duration timeout) throws InterruptedException {
        return process.waitFor(timeout.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** SIGTERM. */
    void terminate() {
        process.destroy();
    }

    /** SIGTERM, and SIGKILL if that takes too long. */
    @Override
    public void close() {
        terminate();
        try {
            if (!awaitEnd(STOP_TIMEOUT)) {
                kill();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
