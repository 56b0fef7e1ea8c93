package dev.posthaste.examples.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;

import dev.posthaste.testkit.EmbeddedKafka;
import dev.posthaste.testkit.KafkaBroker;
import dev.posthaste.testkit.ServerSettings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** A broker in a process of its own, to be killed and started again on its data and port. Used by one thread. */
final class BrokerProcess implements KafkaBroker {

    private final Path directory;
    private final int port;
    private Process process;

    private BrokerProcess(Path directory, int port) throws IOException {
        this.directory = directory;
        this.port = port;
        this.process = launch();
    }

    static BrokerProcess start(Path directory) throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            int port = socket.getLocalPort();
            socket.close();
            BrokerProcess broker = new BrokerProcess(directory, port);
            broker.awaitListening();
            return broker;
        }
    }

    private Process launch() throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-Xmx256m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        BrokerProcess.class.getName(),
                        directory.resolve("data").toString(),
                        Integer.toString(port))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        directory.resolve("log").toFile()))
                .start();
    }

    /** The broker's process: directory and port. It ends with its parent, whose pipe it reads. */
    public static void main(String[] arguments) throws IOException {
        EmbeddedKafka.launch(ServerSettings.defaults()
                .withDirectory(Path.of(arguments[0]))
                .withPort(Integer.parseInt(arguments[1])));
        int unused = System.in.read();
        Runtime.getRuntime().halt(0);
    }

    /** SIGKILL; it is gone when this returns. */
    void kill() {
        assertThat(process.isAlive()).as("the broker lives before the kill").isTrue();
        process.destroyForcibly().onExit().join();
    }

    /** On the same data and port. */
    void startAgain() {
        try {
            process = launch();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        awaitListening();
    }

    private void awaitListening() {
        await().atMost(Duration.ofSeconds(60)).until(() -> {
            assertThat(process.isAlive())
                    .as("the broker lives; its log is in %s", directory.resolve("log"))
                    .isTrue();
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress("127.0.0.1", port));
                return true;
            } catch (IOException e) {
                return false;
            }
        });
    }

    @Override
    public String bootstrapServers() {
        return "127.0.0.1:" + port;
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
