package dev.posthaste.testkit.faults;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Whoever breaks something learns whether it took effect. */
class EvidenceOfFaultsTest {

    private static final Duration WAIT = Duration.ofSeconds(20);

    @Test
    void aLinkTellsHowManyConnectionsItEnded() throws IOException {
        try (ServerSocket store = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                StoreLink link = StoreLink.toPostgres("127.0.0.1", store.getLocalPort());
                Socket client = new Socket(InetAddress.getLoopbackAddress(), link.port());
                Socket accepted = store.accept()) {
            client.getOutputStream().write(1);
            assertThat(accepted.getInputStream().read()).isEqualTo(1);

            assertThat(link.refuse()).isEqualTo(1);

            assertThat(hasEnded(client)).isTrue();
            assertThat(link.refuse()).as("nobody is left").isZero();
        }
    }

    private static boolean hasEnded(Socket socket) throws IOException {
        try {
            return socket.getInputStream().read() < 0;
        } catch (SocketException e) {
            return true;
        }
    }

    @Test
    void aLinkThatNobodyUsesEndsNothing() throws IOException {
        try (StoreLink link = StoreLink.toPostgres("127.0.0.1", 1)) {
            assertThat(link.refuse()).isZero();
        }
    }

    @Test
    void aProcessIsStoppedFromItsStopUntilItGoesOn() throws IOException {
        Process process = new ProcessBuilder("sleep", "60").start();
        try {
            assertThat(Signals.isStopped(process.pid())).isFalse();
            Signals.send("STOP", process.pid());
            await().atMost(WAIT).until(() -> Signals.isStopped(process.pid()));
            Signals.send("CONT", process.pid());
            await().atMost(WAIT).until(() -> !Signals.isStopped(process.pid()));
        } finally {
            process.destroyForcibly();
        }
        await().atMost(WAIT).until(() -> !process.isAlive());
        assertThat(Signals.isStopped(process.pid())).as("it is gone").isFalse();
    }
}
