package dev.posthaste.testkit;

import java.security.SecureRandom;
import java.util.HexFormat;

/** Passwords nobody knows beforehand: a superuser on loopback can run programs as the user who started it. */
final class Passwords {

    private static final SecureRandom RANDOM = new SecureRandom();

    private Passwords() {}

    static String random() {
        byte[] bytes = new byte[16];
        RANDOM.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }
}
