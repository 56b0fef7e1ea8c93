package dev.posthaste.testkit;

import org.jspecify.annotations.Nullable;

/** A server of the testkit could not be started, stopped or found; the message names it, the cause and what to do. */
public final class TestkitException extends RuntimeException {

    /**
     * Makes one.
     *
     * @param message what failed, and what to do
     * @param cause what brought it about, or null
     */
    public TestkitException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
