package dev.posthaste.consumer.internal;

import org.jspecify.annotations.Nullable;

import dev.posthaste.consumer.Outcome;

/** A handler has returned null in place of an outcome: whether its effect is there, nobody knows. */
final class NoOutcomeException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    private NoOutcomeException() {
        super("the handler returned null; return Outcome.done(), Outcome.retryAfter(...) or Outcome.dead(...)");
    }

    /** What the handler returned; a fault of its own like any other if that is nothing. */
    static Outcome required(@Nullable Outcome returned) {
        if (returned == null) {
            throw new NoOutcomeException();
        }
        return returned;
    }
}
