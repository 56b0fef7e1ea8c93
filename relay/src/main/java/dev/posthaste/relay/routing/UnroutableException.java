package dev.posthaste.relay.routing;

import java.util.UUID;

/**
 * A message that cannot be published as it is, by no fault of a store. The message says why, without payload or
 * headers.
 */
public final class UnroutableException extends Exception {

    private static final long serialVersionUID = 1L;

    private final String reason;

    /** Names the message and the reason. */
    public UnroutableException(UUID messageId, String reason) {
        super("message " + messageId + " cannot be published: " + reason);
        this.reason = "message " + messageId + " cannot be published: " + reason;
    }

    /** Which message, and why. */
    public String reason() {
        return reason;
    }
}
