package dev.posthaste.testkit;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import dev.posthaste.testkit.faults.Signals;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** What is left of a stack when its JVM ends in ways that call no {@code close}. */
class EndOfJvmTest {

    @Test
    void sigtermEndsTheServersAndRemovesTheirDirectories() throws Exception {
        try (Owner owner = Owner.start()) {
            assertThat(Leftovers.of(owner.pid())).hasSize(2 * Leftovers.PER_SERVER);

            owner.process.destroy();

            assertThat(owner.process.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(PostmasterFile.hasEnded(owner.postgres)).isTrue();
            assertThat(Leftovers.of(owner.pid())).isEmpty();
        }
    }

    @Test
    void sigkillEndsTheServerAndTheNextStartRemovesTheDirectories() throws Exception {
        try (Owner owner = Owner.start()) {
            owner.process.destroyForcibly();

            await().atMost(Duration.ofSeconds(30)).until(() -> PostmasterFile.hasEnded(owner.postgres));
            sweep();
            assertThat(Leftovers.of(owner.pid())).isEmpty();
        }
    }

    /** The kernel sends SIGHUP to a whole group that loses its parent while one of it is stopped. */
    @Test
    void sigkillEndsTheServerAlsoAfterSignalsToTheWholeProcessGroup() throws Exception {
        try (Owner owner = Owner.start()) {
            for (ProcessHandle watchdog : owner.watchdogs()) {
                for (String signal : List.of("HUP", "INT", "TERM")) {
                    Signals.send(signal, watchdog.pid());
                }
                assertThat(watchdog.onExit()).isNotDone();
            }
            owner.process.destroyForcibly();

            await().atMost(Duration.ofSeconds(30)).until(() -> PostmasterFile.hasEnded(owner.postgres));
        }
    }

    @Test
    void theNextStartEndsAServerThatOutlivedItsOwner() throws Exception {
        try (Owner owner = Owner.start()) {
            List<ProcessHandle> watchdogs = owner.watchdogs();
            watchdogs.forEach(ProcessHandle::destroyForcibly);
            await().until(() -> watchdogs.stream().noneMatch(ProcessHandle::isAlive));
            owner.process.destroyForcibly().waitFor();
            assertThat(PostmasterFile.hasEnded(owner.postgres)).isFalse();

            sweep();

            assertThat(PostmasterFile.hasEnded(owner.postgres)).isTrue();
            assertThat(Leftovers.of(owner.pid())).isEmpty();
        }
    }

    @Test
    void aSweepLeavesTheLivingAlone() throws Exception {
        try (Owner owner = Owner.start()) {
            sweep();

            assertThat(PostmasterFile.hasEnded(owner.postgres)).isFalse();
            assertThat(Leftovers.of(owner.pid())).hasSize(2 * Leftovers.PER_SERVER);
        }
    }

    private static void sweep() {
        WorkDirectory.open("sweeping", null).close();
    }

    /** A JVM of its own that starts a stack and waits. */
    private record Owner(Process process, ProcessHandle postgres) implements AutoCloseable {

        static Owner start() throws IOException {
            Process process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-cp",
                            System.getProperty("java.class.path"),
                            StackOwner.class.getName())
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            BufferedReader output =
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
            String pid = output.readLine();
            assertThat(pid).as("what the owner printed").matches("[0-9]+");
            return new Owner(process, ProcessHandle.of(Long.parseLong(pid)).orElseThrow());
        }

        long pid() {
            return process.pid();
        }

        List<ProcessHandle> watchdogs() {
            List<ProcessHandle> watchdogs = process.children()
                    .filter(child -> child.pid() != postgres.pid())
                    .toList();
            assertThat(watchdogs).hasSize(1);
            return watchdogs;
        }

        @Override
        public void close() {
            process.destroyForcibly().onExit().join();
            sweep();
        }
    }
}
