package dev.posthaste.consumer.internal;

import org.jspecify.annotations.Nullable;

/** A record that is no message for this handler. Its message says why and holds nothing of the payload. */
final class UnreadableException extends Exception {

    /** Its headers or its payload cannot be read. */
    static final String UNREADABLE = "unreadable";

    /** This handler has no reader for its type or version. */
    static final String NO_READER = "no-reader";

    /** Its function for the idempotency key gives none that can be used. */
    static final String BAD_KEY = "bad-idempotency-key";

    private static final long serialVersionUID = 1L;

    private final String code;

    UnreadableException(String code, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.code = code;
    }

    /** The cause in one word. */
    String code() {
        return code;
    }
}
