package dev.posthaste.consumer;

import java.time.Duration;

/**
 * One call of a leased handler. No transaction and no connection of the inbox is open while it runs; the SDK renews its
 * lease. Of use only until the handler has returned. Thread-safe.
 */
public interface Call {

    /**
     * What the provider must be given so that a repeated call has no second effect: the same in every attempt, whoever
     * makes it. It is the message id; with {@link Handler.Reading#idempotentBy} it is made from tenant and key, 64
     * characters, and so the same for every message that brings that key.
     */
    String idempotencyKey();

    /** Which coming of the message this is. */
    Delivery delivery();

    /**
     * Says that the call goes on: it is not taken for hung for at least that long from now, whatever
     * {@link Handler#callMax} says.
     *
     * @param time from 1 ms to 1 h
     * @throws IllegalStateException if the lease is lost: somebody else makes the next attempt, and what comes of this
     *     one counts no more, so it had best end
     */
    void extendLease(Duration time);
}
