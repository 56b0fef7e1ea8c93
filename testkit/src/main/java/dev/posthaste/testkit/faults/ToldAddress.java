package dev.posthaste.testkit.faults;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Makes clients of a broker stay on the way they came: where its answers tell the broker's address, they tell another
 * of the same length. Thread-safe.
 */
final class ToldAddress {

    private final byte[] broker;
    private final byte[] told;

    ToldAddress(String host, int brokerPort, int toldPort) {
        this.broker = address(host, brokerPort);
        this.told = address(host, toldPort);
    }

    private static byte[] address(String host, int port) {
        byte[] name = host.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(name.length + Integer.BYTES)
                .put(name)
                .putInt(port)
                .array();
    }

    void rewrite(byte[] frame) {
        for (int i = 0; i + broker.length <= frame.length; i++) {
            int j = 0;
            while (j < broker.length && frame[i + j] == broker[j]) {
                j++;
            }
            if (j == broker.length) {
                System.arraycopy(told, 0, frame, i, j);
            }
        }
    }
}
