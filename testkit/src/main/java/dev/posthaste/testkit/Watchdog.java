package dev.posthaste.testkit;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * Ends a server when this JVM dies without a word (SIGKILL, out of memory).
 *
 * <p>A shell that waits for the end of its input, which only the end of this JVM or {@link #close()} brings. It works
 * alike on Linux and macOS and, unlike the parent-death signal of Linux, does not depend on the thread that began it.
 * Signals to the whole process group do not end it: a terminal sends them, and so does the kernel when the group loses
 * its last parent while one of it is stopped.
 */
final class Watchdog implements AutoCloseable {

    private final Process shell;

    private Watchdog(Process shell) {
        this.shell = shell;
    }

    static Watchdog over(long pid) throws IOException {
        ProcessBuilder builder = Shell.process(
                List.of("/bin/sh", "-c", "trap '' HUP INT TERM; read -r line; kill -QUIT " + pid, "posthaste-watchdog"),
                Path.of("/"));
        builder.redirectInput(ProcessBuilder.Redirect.PIPE);
        builder.redirectOutput(ProcessBuilder.Redirect.DISCARD);
        return new Watchdog(builder.start());
    }

    /** Calls it off. SIGKILL, so that it does not reach the kill when its input closes. */
    @Override
    public void close() {
        shell.destroyForcibly();
    }
}
