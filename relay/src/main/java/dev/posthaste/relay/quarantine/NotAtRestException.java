package dev.posthaste.relay.quarantine;

/** A quarantined message that a relay has in hand: nobody else may touch it now. Nothing was changed. */
public final class NotAtRestException extends Exception {

    private static final long serialVersionUID = 1L;

    NotAtRestException(QuarantinedMessage message, String why) {
        super("message " + message.messageId() + " cannot be resolved for " + message.handler() + " now: " + why);
    }
}
