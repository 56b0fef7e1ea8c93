package dev.posthaste.testkit.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

import dev.posthaste.testkit.EmbeddedKafka;
import dev.posthaste.testkit.KafkaBroker;
import dev.posthaste.testkit.ServerSettings;
import dev.posthaste.testkit.TestkitException;

/** A broker in a process of its own, to be killed and started again on its data and port. Used by one thread. */
public final class BrokerProcess implements KafkaBroker {

    private static final long START_SECONDS_MAX = 60;
    private static final long POLL_MILLIS = 20;

    private final Path directory;
    private final int port;
    private Process process;

    private BrokerProcess(Path directory, int port) throws IOException {
        this.directory = directory;
        this.port = port;
        this.process = launch();
    }

    public static BrokerProcess start(Path directory) throws IOException {
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
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()))
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
    public void kill() {
        if (!process.isAlive()) {
            throw new TestkitException("The broker is dead before it is killed; its log is in " + log() + ".", null);
        }
        process.destroyForcibly().onExit().join();
    }

    /** Whether its process lives; a frozen one does. */
    public boolean isAlive() {
        return process.isAlive();
    }

    /** SIGTERM: it shuts down cleanly; it is gone when this returns. */
    public void terminate() {
        process.destroy();
        process.onExit().join();
    }

    /** SIGSTOP: it answers nobody, and everybody believes that it lives. */
    public void freeze() {
        Signals.send("STOP", process.pid());
    }

    /** SIGCONT. */
    public void thaw() {
        Signals.send("CONT", process.pid());
    }

    /** Starts it again, on the same data and port. */
    public void startAgain() {
        try {
            process = launch();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        awaitListening();
    }

    private void awaitListening() {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS_MAX);
        while (!isListening()) {
            try {
                if (process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS) || System.nanoTime() > deadline) {
                    throw new TestkitException("The broker does not listen; its log is in " + log() + ".", null);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new TestkitException("Interrupted while a broker was starting.", e);
            }
        }
    }

    private boolean isListening() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress("127.0.0.1", port));
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Its output. */
    public Path log() {
        return directory.resolve("log");
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
