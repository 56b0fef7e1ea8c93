package dev.posthaste.consumer.inbox;

import java.nio.charset.StandardCharsets;

/** Header names as bytes: Kafka allows in them what PostgreSQL does not allow in text. */
final class HeaderNames {

    private HeaderNames() {}

    static byte[] encode(String name) {
        return name.getBytes(StandardCharsets.UTF_8);
    }

    static String decode(byte[] name) {
        return new String(name, StandardCharsets.UTF_8);
    }
}
