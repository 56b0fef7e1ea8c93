package dev.posthaste.examples.demo;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;

import dev.posthaste.relay.cli.UsageException;

/** A free port, for a process that is about to start. */
final class Ports {

    private static final int PORT_MAX = 65_535;

    private Ports() {}

    static int free() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The port itself, once it is sure that nobody listens there; 0 stands for any. */
    static int requireFree(String option, int port) {
        if (port < 0 || port > PORT_MAX) {
            throw new UsageException(
                    option + " is " + port + ", but ports are 1 to " + PORT_MAX + ", or 0 for any free one");
        }
        try {
            new ServerSocket(port, 1, InetAddress.getLoopbackAddress()).close();
            return port;
        } catch (IOException e) {
            throw new UsageException(option + " is " + port + ", but nothing can listen there: " + e.getMessage()
                    + "; choose another, or end what listens there (another demo that keeps running, perhaps)");
        }
    }
}
