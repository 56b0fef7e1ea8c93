package dev.posthaste.consumer.internal;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** The hash under which keys and payloads are compared. */
final class Sha256 {

    private Sha256() {}

    static byte[] of(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JVM has SHA-256", e);
        }
    }
}
