package dev.posthaste.testkit;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs the short programs around the servers. */
final class Shell {

    private static final long SECONDS_MAX = 120;

    private Shell() {}

    /** How a program ended, and what it printed on both streams. */
    record Result(int exitCode, String output) {
        boolean succeeded() {
            return exitCode == 0;
        }
    }

    /** A process whose environment has nothing that PostgreSQL would take as a setting. */
    static ProcessBuilder process(List<String> command, Path directory) {
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.directory(directory.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("PG"));
        builder.environment().put("LC_ALL", "C");
        builder.redirectInput(new File("/dev/null"));
        builder.redirectErrorStream(true);
        return builder;
    }

    /** Runs to the end. A program that cannot be started is a result too: 127, as the shell has it. */
    static Result run(List<String> command, Path directory) {
        try {
            Process process = process(command, directory).start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!process.waitFor(SECONDS_MAX, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new TestkitException(command + " did not end within " + SECONDS_MAX + " s.", null);
            }
            return new Result(process.exitValue(), output.strip());
        } catch (IOException e) {
            return new Result(127, String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TestkitException("Interrupted while running " + command + ".", e);
        }
    }

    /** Sends a signal by its name without SIG; the shell's own kill is there where no package brought one. */
    static void signal(String signal, long pid) {
        Result result = run(List.of("/bin/sh", "-c", "kill -" + signal + " " + pid), Path.of("/"));
        if (!result.succeeded()) {
            throw new TestkitException("Signal " + signal + " to process " + pid + ": " + result.output(), null);
        }
    }

    /** SIGSTOP; a process that has ended meanwhile needs none. */
    static void stop(long pid) {
        Result unused = run(List.of("/bin/sh", "-c", "kill -STOP " + pid), Path.of("/"));
    }
}
