package dev.posthaste.chaos.world;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** A short command of the operating system. */
final class SystemCommand {

    private static final Duration BOUND = Duration.ofSeconds(10);

    private SystemCommand() {}

    /**
     * Runs it to its end.
     *
     * @throws IOException with what it said, if it failed, is not there or took longer than ten seconds
     */
    static void run(String... command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        try {
            if (!process.waitFor(BOUND.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new IOException(command[0] + " did not end within " + BOUND);
            }
            if (process.exitValue() != 0) {
                String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                throw new IOException(command[0] + ": " + said.strip());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        } finally {
            process.destroyForcibly();
        }
    }
}
