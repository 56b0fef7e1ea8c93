package dev.posthaste.relay.cli;

/** Settings that cannot be used. The message names the setting, its value and the rule. */
public final class UsageException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** Says what is wrong and what to do. */
    public UsageException(String message) {
        super(message);
    }
}
