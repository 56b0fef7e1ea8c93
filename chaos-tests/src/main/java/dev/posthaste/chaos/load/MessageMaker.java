package dev.posthaste.chaos.load;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Random;
import java.util.UUID;

import dev.posthaste.chaos.history.Entry.Staged;

/** Makes messages of what was planned. Used by one thread. */
final class MessageMaker {

    private static final long VERSION_4 = 0x4000L;
    private static final long VERSION_MASK = 0xf000L;
    private static final long VARIANT = 0x8000_0000_0000_0000L;
    private static final long VARIANT_MASK = 0xc000_0000_0000_0000L;
    private static final String LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";

    /** A load that is started again with the same seed, in the same run, makes other ids. */
    private static final long PROCESS = new SecureRandom().nextLong();

    private final Random random;

    MessageMaker(Random random) {
        this.random = random;
    }

    /** A message and what a history tells of it. */
    record Made(Staged staged, String type, String payload) {}

    Made make(Plan.Message planned, long number) {
        String payload = "{\"key\":\"" + planned.key() + "\",\"number\":" + number + ",\"filler\":\""
                + filler(planned.fillerBytes()) + "\"}";
        return new Made(
                new Staged(id(), planned.key(), number, sha256(payload), planned.undone(), planned.refused()),
                planned.refused() ? ChaosCatalog.UNKNOWN_TYPE : ChaosCatalog.TYPE,
                payload);
    }

    private UUID id() {
        long most = (random.nextLong() & ~VERSION_MASK) | VERSION_4;
        long least = ((random.nextLong() ^ PROCESS) & ~VARIANT_MASK) | VARIANT;
        return new UUID(most, least);
    }

    private String filler(int bytes) {
        byte[] filler = new byte[bytes];
        random.nextBytes(filler);
        for (int i = 0; i < bytes; i++) {
            filler[i] = (byte) LETTERS.charAt(filler[i] & 63);
        }
        return new String(filler, StandardCharsets.US_ASCII);
    }

    private static String sha256(String payload) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(payload.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) { // every Java has it
            throw new IllegalStateException(e);
        }
    }
}
