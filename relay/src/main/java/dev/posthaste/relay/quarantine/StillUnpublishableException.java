package dev.posthaste.relay.quarantine;

import java.util.Optional;

import org.jspecify.annotations.Nullable;

import dev.posthaste.relay.routing.Unpublishable;

/** A message whose release was tried and whose fault is still there. It stays quarantined. */
public final class StillUnpublishableException extends Exception {

    private static final long serialVersionUID = 1L;

    private final Unpublishable.@Nullable Cause cause;
    private final String error;

    /** With a fault of a kind that has a name. */
    StillUnpublishableException(QuarantinedMessage message, Unpublishable.Cause cause, String error) {
        this(message, error, cause);
    }

    /** With one that will not pass. */
    StillUnpublishableException(QuarantinedMessage message, String error) {
        this(message, error, null);
    }

    private StillUnpublishableException(QuarantinedMessage message, String error, Unpublishable.@Nullable Cause cause) {
        super("message " + message.messageId() + " cannot be released to " + message.handler() + ": " + error);
        this.cause = cause;
        this.error = error;
    }

    /** What kind of fault; empty: the message itself, or its handler, is gone. */
    Optional<Unpublishable.Cause> fault() {
        return Optional.ofNullable(cause);
    }

    /** What is wrong, without the message's id. */
    String error() {
        return error;
    }
}
