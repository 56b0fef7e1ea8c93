package dev.posthaste.relay.cli;

/** The answer is no. */
public final class FailedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** Says what is not so. */
    public FailedException(String message) {
        super(message);
    }
}
