package dev.posthaste.chaos.world;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** A cable that is pulled, on the real kernel. */
class OwnNetworkTest {

    private static final int SILENCE_MILLIS = 300;

    /** Says back whatever comes from a port of this machine. */
    private static Process echo(OwnNetwork network, int port) throws IOException {
        return new ProcessBuilder(network.inside(List.of(
                        "bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/$0; exec cat <&3 >&3", Integer.toString(port))))
                .redirectErrorStream(true)
                .start();
    }

    private static String ask(Socket socket, String word) throws IOException {
        socket.getOutputStream().write((word + "\n").getBytes(StandardCharsets.UTF_8));
        return answer(socket);
    }

    private static String answer(Socket socket) throws IOException {
        return new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8)).readLine();
    }

    private static boolean isThereACableOf(Process process) {
        return Files.exists(Path.of("/sys/class/net/ph" + process.pid()));
    }

    @Test
    void whileItIsUnpluggedNothingPassesAndNobodyIsToldAndAllOfItEndsWithTheProcess() throws Exception {
        Optional<String> obstacle = OwnNetwork.obstacle();
        assumeTrue(obstacle.isEmpty(), () -> obstacle.orElseThrow() + "; links refuse, stall and slow everywhere else");
        OwnNetwork network = OwnNetwork.next();
        Process process;
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            process = echo(network, server.getLocalPort());
            network.join(process);
            try (Socket socket = server.accept()) {
                assertThat(ask(socket, "plugged")).isEqualTo("plugged");
                assertThat(network.isCut()).isFalse();

                network.unplug();
                assertThat(network.isCut()).isTrue();
                socket.setSoTimeout(SILENCE_MILLIS);
                assertThatThrownBy(() -> ask(socket, "unplugged")).isInstanceOf(SocketTimeoutException.class);
                assertThat(process.isAlive()).isTrue();

                network.plug();
                socket.setSoTimeout(60_000);
                assertThat(answer(socket)).as("it was sent again, as TCP does").isEqualTo("unplugged");
            } finally {
                process.destroyForcibly().onExit().join();
            }
        }
        await().atMost(Duration.ofSeconds(30)).until(() -> !isThereACableOf(process));
    }

    @Test
    void aProcessThatEndsBeforeItIsJoinedIsNamed() throws Exception {
        assumeTrue(OwnNetwork.obstacle().isEmpty(), "no network namespace can be made here");
        Process gone = new ProcessBuilder("true").start();
        gone.onExit().join();
        assertThatThrownBy(() -> OwnNetwork.next().join(gone))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(Long.toString(gone.pid()));
    }

    @Test
    void eachHasAddressesOfItsOwn() {
        assertThat(Stream.generate(OwnNetwork::next).limit(50).map(OwnNetwork::address))
                .doesNotHaveDuplicates()
                .allMatch(address -> address.startsWith("10.213."));
    }
}
