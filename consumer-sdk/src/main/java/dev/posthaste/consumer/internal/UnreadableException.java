package dev.posthaste.consumer.internal;

import java.util.UUID;

import org.jspecify.annotations.Nullable;

/** A record that is no message for this handler. Its message says why and holds nothing of the payload. */
final class UnreadableException extends Exception {

    private static final long serialVersionUID = 1L;

    private final @Nullable UUID messageId;

    UnreadableException(@Nullable UUID messageId, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.messageId = messageId;
    }

    @Nullable
    UUID messageId() {
        return messageId;
    }
}
