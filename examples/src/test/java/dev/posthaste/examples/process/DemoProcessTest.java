package dev.posthaste.examples.process;

import java.io.IOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

/** {@code posthaste demo} as a newcomer runs it. */
class DemoProcessTest {

    @TempDir
    private Path directory;

    /** The testkit's PostgreSQL may run as another user, who must be able to enter. */
    @BeforeEach
    void openTheDirectory() throws IOException {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    @Test
    void theDemoKillsTheRelayEndsWithItsTableAndLeavesNothing() {
        try (PosthasteProcess demo = demo("--messages", "600", "--rate", "1000", "--kill-relay", "1")) {
            awaitOut(demo, "running relay, lending service and two handlers as processes");
            List<ProcessHandle> everybody = demo.descendants();
            // The relay, the lending service, two handlers, PostgreSQL and its own.
            assertThat(everybody).hasSizeGreaterThan(5);

            assertThat(demo.awaitExit()).as(demo.out() + demo.err()).isZero();

            assertThat(demo.err()).isEmpty();
            assertThat(demo.out())
                    .contains("SIGKILL 1: the relay died with ")
                    .containsPattern("committed +600 messages with 600 loans")
                    .containsPattern("rolled back +[1-9]\\d* messages, of which seen anywhere: 0")
                    .containsPattern("unproved +0 messages")
                    .containsPattern("kill 1 +[1-9]\\d* messages were committed and on no topic")
                    .containsPattern("handler +on topic +effects +duplicates +missing +out of order")
                    .containsPattern("due-notice +600 +600 +0 +0 +0\\R")
                    .containsPattern("statistics +600 +600 +0 +0 +0\\R")
                    .contains("Every committed message arrived once, and nothing else did.");
            requireNothingLeft(demo, everybody);
        }
    }

    private static final int SIGINT_NUMBER = 2;

    private enum Signal {
        SIGTERM(143),
        SIGINT(130);

        private final int exitCode;

        Signal(int exitCode) {
            this.exitCode = exitCode;
        }

        void send(PosthasteProcess process) {
            if (this == SIGTERM) {
                process.terminate();
            } else {
                process.interrupt();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Signal.class)
    void aDemoToldToEndLeavesNothing(Signal signal) throws IOException {
        assumeFalse(
                signal == Signal.SIGINT && isInterruptIgnored(),
                "skipped: this build ignores SIGINT, as what a shell runs in the background does, and so would the demo");
        try (PosthasteProcess demo = demo("--messages", "100000", "--rate", "200")) {
            awaitOut(demo, "committed ");
            List<ProcessHandle> everybody = demo.descendants();
            assertThat(everybody).hasSizeGreaterThan(5);

            signal.send(demo);

            assertThat(demo.awaitExit()).isEqualTo(signal.exitCode);
            assertThat(demo.err()).isEmpty();
            requireNothingLeft(demo, everybody);
        }
    }

    /** What ignores a signal passes that on to the processes it starts. */
    private static boolean isInterruptIgnored() throws IOException {
        Path status = Path.of("/proc/self/status");
        if (!Files.exists(status)) {
            return false;
        }
        return Files.readAllLines(status).stream()
                .filter(line -> line.startsWith("SigIgn:"))
                .map(line -> new BigInteger(line.substring("SigIgn:".length()).strip(), 16))
                .anyMatch(ignored -> ignored.testBit(SIGINT_NUMBER - 1));
    }

    @Test
    void aDemoToldToEndWhileItStartsSaysNothingAndLeavesNoProcessAndNoLogs() {
        try (PosthasteProcess demo = demo("--messages", "100000", "--rate", "200")) {
            awaitOut(demo, "starting PostgreSQL and Kafka");
            List<ProcessHandle> everybody = demo.descendants();

            demo.terminate();

            assertThat(demo.awaitExit()).isEqualTo(143);
            assertThat(demo.err()).isEmpty();
            assertThat(everybody).noneMatch(ProcessHandle::isAlive);
            // What a server had unpacked by then, the next start sweeps.
            assertThat(demo.temporaryFiles().stream().map(Path::toString))
                    .noneMatch(path -> path.startsWith("posthaste-demo"));
        }
    }

    @Test
    void aKilledDemoLeavesNoProcess() {
        try (PosthasteProcess demo = demo("--messages", "100000", "--rate", "200")) {
            awaitOut(demo, "running relay, lending service and two handlers as processes");
            List<ProcessHandle> everybody = demo.descendants();
            assertThat(everybody).hasSizeGreaterThan(5);

            demo.kill();

            await().atMost(Duration.ofSeconds(60))
                    .until(() -> everybody.stream().noneMatch(ProcessHandle::isAlive));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"--postgres-port", "--kafka-port"})
    void aPortThatIsTakenIsToldInOneLine(String option) throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                PosthasteProcess demo = demo(option, Integer.toString(taken.getLocalPort()))) {
            assertThat(demo.awaitExit()).isEqualTo(2);
            assertThat(demo.err().lines()).hasSize(1);
            assertThat(demo.err()).startsWith("posthaste demo: " + option + " is " + taken.getLocalPort());
            assertThat(demo.temporaryFiles()).isEmpty();
        }
    }

    private PosthasteProcess demo(String... options) {
        return PosthasteProcess.start(
                directory,
                Map.of(),
                Stream.concat(Stream.of("demo"), Stream.of(options)).toList());
    }

    private static void awaitOut(PosthasteProcess demo, String text) {
        await().atMost(Duration.ofSeconds(90)).until(() -> {
            assertThat(demo.isAlive()).as(demo.out() + demo.err()).isTrue();
            return demo.out().contains(text);
        });
    }

    /** PostgreSQL's programs stay unpacked, for the next time. */
    private static void requireNothingLeft(PosthasteProcess demo, List<ProcessHandle> everybody) {
        assertThat(everybody).noneMatch(ProcessHandle::isAlive);
        assertThat(demo.temporaryFiles().stream().map(Path::toString))
                .allMatch(path -> path.matches("posthaste-[^/]+(/run|/cache(/.*)?)?"))
                .noneMatch(path -> path.startsWith("posthaste-demo"));
    }
}
