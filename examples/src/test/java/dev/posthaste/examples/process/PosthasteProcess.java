package dev.posthaste.examples.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import dev.posthaste.testkit.faults.Signals;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A command of {@code posthaste} as a process of its own, with the class path of the test. It has a directory with its
 * output and its temporary files. Used by one thread.
 */
final class PosthasteProcess implements AutoCloseable {

    /** How long a process may take to end: more than any bound of its own. */
    static final Duration END_TIMEOUT = Duration.ofSeconds(60);

    private final Process process;
    private final Path directory;

    private PosthasteProcess(Process process, Path directory) {
        this.process = process;
        this.directory = directory;
    }

    /**
     * Starts it.
     *
     * @param directory its output goes to {@code out} and {@code err} in it, its temporary files to {@code tmp}
     * @param environment beside that of the test; it begins without any setting of ours
     */
    static PosthasteProcess start(Path directory, Map<String, String> environment, List<String> arguments) {
        return start(directory, environment, List.of(), arguments);
    }

    /** The same with options for the JVM, which win over those it has. */
    static PosthasteProcess start(
            Path directory, Map<String, String> environment, List<String> jvm, List<String> arguments) {
        try {
            Path temporary = Files.createDirectories(directory.resolve("tmp"));
            List<String> command = new ArrayList<>(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-XX:+UseSerialGC",
                    "-XX:TieredStopAtLevel=1",
                    "-Xmx256m",
                    "-Djava.io.tmpdir=" + temporary,
                    "-Dlogback.configurationFile=logback.xml", // not that of the tests
                    "-Dposthaste.home=" + Path.of("..").toAbsolutePath().normalize()));
            command.addAll(jvm);
            command.addAll(List.of("-cp", System.getProperty("java.class.path"), EndsWithParent.class.getName()));
            command.addAll(arguments);
            ProcessBuilder builder = new ProcessBuilder(command)
                    .redirectOutput(directory.resolve("out").toFile())
                    .redirectError(directory.resolve("err").toFile());
            builder.environment().keySet().removeIf(name -> name.startsWith("POSTHASTE_"));
            builder.environment().putAll(environment);
            return new PosthasteProcess(builder.start(), directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String out() {
        return read("out");
    }

    String err() {
        return read("err");
    }

    /** How many lines it has logged. */
    long errLines() {
        return err().lines().count();
    }

    /** Makes it collect all garbage, so that what it holds can be told from what it has dropped. */
    void collectGarbage() {
        jcmd("GC.run");
    }

    /** The names of its threads, sorted. */
    List<String> threadNames() {
        return jcmd("Thread.print")
                .lines()
                .filter(line -> line.matches("\".+\" #\\d+ .*") && !line.contains("CompilerThread")) // Java's own
                .map(line -> line.substring(1, line.indexOf('"', 1)))
                .sorted()
                .toList();
    }

    private String jcmd(String command) {
        Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
        try {
            Process asked = new ProcessBuilder(jcmd.toString(), Long.toString(process.pid()), command)
                    .redirectErrorStream(true)
                    .start();
            String answer = new String(asked.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(asked.waitFor()).as("jcmd " + command).isZero();
            return answer;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private String read(String file) {
        try {
            return Files.readString(directory.resolve(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The files and directories in its temporary directory, all of them, relative to it. */
    List<Path> temporaryFiles() {
        Path temporary = directory.resolve("tmp");
        try (Stream<Path> all = Files.walk(temporary)) {
            return all.map(temporary::relativize)
                    .filter(path -> !path.toString().isEmpty())
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Its children, and theirs. */
    List<ProcessHandle> descendants() {
        return process.descendants().toList();
    }

    /** SIGTERM. */
    void terminate() {
        process.destroy();
    }

    /** SIGINT, as by Ctrl-C in a terminal that sends it to this process alone. */
    void interrupt() {
        Signals.send("INT", process.pid());
    }

    /** SIGSTOP: it runs no instruction any more, and everybody believes that it lives. */
    void freeze() {
        Signals.send("STOP", process.pid());
    }

    /** SIGCONT. */
    void thaw() {
        Signals.send("CONT", process.pid());
    }

    /** SIGKILL; it is gone when this returns. */
    void kill() {
        assertThat(process.isAlive())
                .as("alive before the kill; it said: %s", err())
                .isTrue();
        process.destroyForcibly().onExit().join();
    }

    /** Waits for its end; returns its exit code. */
    int awaitExit() {
        assertThat(endsWithin(END_TIMEOUT))
                .as("ended within %s; it said: %s", END_TIMEOUT, err())
                .isTrue();
        return process.exitValue();
    }

    /** Lets it run for a while; false: it is still there. */
    boolean endsWithin(Duration time) {
        try {
            return process.waitFor(time.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** SIGKILL to whatever is left of it. */
    @Override
    public void close() {
        List<ProcessHandle> all = descendants();
        process.destroyForcibly().onExit().join();
        all.forEach(ProcessHandle::destroyForcibly);
    }
}
