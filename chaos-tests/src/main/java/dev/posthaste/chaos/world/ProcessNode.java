package dev.posthaste.chaos.world;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import dev.posthaste.testkit.faults.Signals;

/** A JVM under test that can be started again after its end. Its output goes to one file. Used by one thread. */
public class ProcessNode implements AutoCloseable {

    private static final Duration STOP_BOUND = Duration.ofSeconds(40);

    private final String name;
    private final Path directory;
    private final Launch launch;
    private @Nullable Process process;
    private boolean frozen;

    /**
     * What is started.
     *
     * @param patches directories whose classes go before all others: a product broken on purpose
     * @param network the process's own; null: this machine's
     */
    record Launch(
            Class<?> main,
            List<String> arguments,
            Map<String, String> environment,
            List<String> jvm,
            List<Path> patches,
            @Nullable OwnNetwork network) {

        Launch(
                Class<?> main,
                List<String> arguments,
                Map<String, String> environment,
                List<String> jvm,
                List<Path> patches) {
            this(main, arguments, environment, jvm, patches, null);
        }
    }

    ProcessNode(String name, Path directory, Launch launch) {
        this.name = name;
        this.directory = directory;
        this.launch = launch;
    }

    /** Its name in logs and reports. */
    public String name() {
        return name;
    }

    /** Starts it and does not wait. */
    public void start() {
        if (isAlive()) {
            throw new IllegalStateException(name + " runs already");
        }
        try {
            Path temporary = Files.createDirectories(directory.resolve(name + ".tmp"));
            List<String> command = new ArrayList<>(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-XX:+UseSerialGC",
                    "-XX:TieredStopAtLevel=1",
                    "-Xmx256m",
                    "-Djava.io.tmpdir=" + temporary));
            command.addAll(launch.jvm);
            command.addAll(List.of("-cp", classPath(), ChildMain.class.getName(), launch.main.getName()));
            command.addAll(launch.arguments);
            OwnNetwork network = launch.network;
            ProcessBuilder builder = new ProcessBuilder(network == null ? command : network.inside(command))
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()));
            builder.environment().keySet().removeIf(variable -> variable.startsWith("POSTHASTE_"));
            builder.environment().putAll(launch.environment);
            Process started = builder.start();
            process = started;
            frozen = false;
            if (network != null) {
                network.join(started);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(name + " cannot be started", e);
        }
    }

    private String classPath() {
        StringBuilder path = new StringBuilder();
        launch.patches.forEach(patch -> path.append(patch).append(File.pathSeparator));
        return path.append(System.getProperty("java.class.path")).toString();
    }

    /** The file with its output. */
    public Path log() {
        return directory.resolve(name + ".log");
    }

    /** Whether it runs; a frozen one does. */
    public boolean isAlive() {
        Process current = process;
        return current != null && current.isAlive();
    }

    private Process alive() {
        Process current = process;
        if (current == null || !current.isAlive()) {
            throw new IllegalStateException(name + " does not run; its log is in " + log());
        }
        return current;
    }

    /** Its process id. */
    public long pid() {
        return alive().pid();
    }

    /** SIGKILL; it is gone when this returns. */
    public void kill() {
        alive().destroyForcibly().onExit().join();
    }

    /** SIGSTOP. */
    public void freeze() {
        Signals.send("STOP", pid());
        frozen = true;
    }

    /** Whether it is stopped now, as {@link #freeze} leaves it. */
    public boolean isFrozen() {
        return isAlive() && Signals.isStopped(pid());
    }

    /** SIGCONT, if it is frozen. */
    public void thaw() {
        if (frozen && isAlive()) {
            Signals.send("CONT", pid());
        }
        frozen = false;
    }

    /** SIGTERM; returns whether it has ended by itself within the bound, and kills it if not. */
    public boolean terminate() throws InterruptedException {
        Process current = process;
        if (current == null) {
            return true;
        }
        thaw();
        current.destroy();
        boolean ended = current.waitFor(STOP_BOUND.toMillis(), TimeUnit.MILLISECONDS);
        if (!ended) {
            close();
        }
        return ended;
    }

    /** SIGKILL to whatever is left of it. */
    @Override
    public void close() {
        Process current = process;
        if (current != null) {
            current.destroyForcibly().onExit().join();
        }
    }
}
