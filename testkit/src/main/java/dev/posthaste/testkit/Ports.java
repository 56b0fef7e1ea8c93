package dev.posthaste.testkit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/** Free ports on loopback. */
final class Ports {

    /** Below the range systems use for outgoing connections: a stopped server must find its port free again. */
    private static final int FIRST = 20_000;

    private static final int AFTER_LAST = 32_000;
    private static final int TRIES_MAX = 200;

    private Ports() {}

    /** The port given, or for 0 one that is free now. */
    static int orFree(int port) {
        return port != 0 ? port : free();
    }

    static int free() {
        for (int i = 0; i < TRIES_MAX; i++) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, AFTER_LAST);
            if (isFree(port)) {
                return port;
            }
        }
        throw new TestkitException(
                "No free port found on 127.0.0.1 between " + FIRST + " and " + AFTER_LAST + ". Give one.", null);
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException e) {
            return false;
        }
    }
}
