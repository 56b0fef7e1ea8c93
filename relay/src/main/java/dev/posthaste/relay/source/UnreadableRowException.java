package dev.posthaste.relay.source;

/** A row of the outbox came that the relay cannot read: no outage, and no retry will help. */
public final class UnreadableRowException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** Names the message, where that can be read, and what cannot; never the payload. */
    public UnreadableRowException(String message, Throwable cause) {
        super(message, cause);
    }
}
