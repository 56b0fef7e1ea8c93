package dev.posthaste.relay.setup;

/** A step of {@code init} that was refused, because going on would lose messages or hide a gap. */
public final class SetupException extends Exception {

    private static final long serialVersionUID = 1L;

    /** Says what was found, and what to do. */
    public SetupException(String message) {
        super(message);
    }
}
