package dev.posthaste.consumer.inbox;

/** What a business key says about running a message. */
public sealed interface KeyVerdict {

    /** Nobody has used the key: it is the message's from now on, if the transaction commits. */
    record First() implements KeyVerdict {}

    /**
     * It was used with the same payload.
     *
     * @param by by which message; for a leased handler it may be the asking one itself, at an earlier attempt
     * @param done whether that message's life is over; false: it is being called, waits, or is a dead letter
     */
    record Used(DeliveryId by, boolean done) implements KeyVerdict {}

    /**
     * It was used with another payload.
     *
     * @param by by which message
     */
    record Conflict(DeliveryId by) implements KeyVerdict {}
}
