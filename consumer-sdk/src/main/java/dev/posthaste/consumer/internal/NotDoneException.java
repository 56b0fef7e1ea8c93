package dev.posthaste.consumer.internal;

import dev.posthaste.consumer.Outcome;
import dev.posthaste.consumer.inbox.DeliveryId;

/** A handler has said that its message is not done: the transaction is rolled back as if it had thrown. */
final class NotDoneException extends Exception {

    private static final long serialVersionUID = 1L;

    private final transient Outcome outcome;

    NotDoneException(Outcome outcome) {
        super("the handler returned " + outcome.getClass().getSimpleName(), null, false, false);
        this.outcome = outcome;
    }

    /** Its business key was used by another message with other bytes. */
    static NotDoneException keyConflict(DeliveryId by) {
        return new NotDoneException(Outcome.dead(
                "idempotency-conflict",
                "its idempotency key was used with another payload by message " + by.messageId()));
    }

    Outcome outcome() {
        return outcome;
    }
}
