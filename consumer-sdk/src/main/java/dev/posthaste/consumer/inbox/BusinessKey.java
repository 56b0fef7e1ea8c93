package dev.posthaste.consumer.inbox;

/**
 * A key under which a handler has its effect once, whatever message brings it. Immutable.
 *
 * @param id the message that brings it
 * @param key from 1 to {@value #CHARACTERS_MAX} characters as {@link String#length()} counts them, none of them NUL;
 *     not blank
 * @param payloadHash SHA-256 of the message's value
 */
@SuppressWarnings("ArrayRecordComponent") // compared in the database only
public record BusinessKey(DeliveryId id, String key, byte[] payloadHash) {

    /**
     * Most characters of a key, in UTF-16: an index must hold it beside the longest tenant and handler, and so many are
     * 1,536 bytes of UTF-8 at most, whatever characters they are.
     */
    public static final int CHARACTERS_MAX = 512;

    /**
     * Checks the key.
     *
     * @throws IllegalArgumentException if no key may be like that; the message does not show it
     */
    public BusinessKey {
        if (key.isBlank()) {
            throw new IllegalArgumentException("its idempotency key is blank");
        }
        if (key.length() > CHARACTERS_MAX) {
            throw new IllegalArgumentException("its idempotency key has " + key.length()
                    + " UTF-16 characters, but at most " + CHARACTERS_MAX + " are allowed");
        }
        if (key.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("its idempotency key has a NUL in it, which PostgreSQL cannot store");
        }
    }
}
