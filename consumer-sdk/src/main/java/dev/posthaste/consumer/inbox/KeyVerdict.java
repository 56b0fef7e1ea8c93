package dev.posthaste.consumer.inbox;

/** What a business key says about running a message. */
public sealed interface KeyVerdict {

    /**
     * Nobody else has used the key: it is the message's from now on, if the transaction commits. A leased handler's
     * message has it from its first attempt on.
     */
    record First() implements KeyVerdict {}

    /**
     * It was used with the same payload.
     *
     * @param by by which other message
     * @param done whether that message's life is over; false: it is being called, or waits for its next attempt
     */
    record Used(DeliveryId by, boolean done) implements KeyVerdict {}

    /**
     * It was used with another payload.
     *
     * @param by by which message
     */
    record Conflict(DeliveryId by) implements KeyVerdict {}
}
