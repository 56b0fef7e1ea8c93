package dev.posthaste.relay.quarantine;

/** A message whose release was tried and whose fault is still there. It stays quarantined. */
public final class StillUnpublishableException extends Exception {

    private static final long serialVersionUID = 1L;

    StillUnpublishableException(QuarantinedMessage message, String error) {
        super("message " + message.messageId() + " cannot be released to " + message.handler() + ": " + error);
    }
}
