package dev.posthaste.consumer.internal;

import dev.posthaste.consumer.Outcome;

/** A handler has said that its message is not done: the transaction is rolled back as if it had thrown. */
final class NotDoneException extends Exception {

    private static final long serialVersionUID = 1L;

    private final transient Outcome outcome;

    NotDoneException(Outcome outcome) {
        super("the handler returned " + outcome.getClass().getSimpleName(), null, false, false);
        this.outcome = outcome;
    }

    Outcome outcome() {
        return outcome;
    }
}
