package dev.posthaste.consumer.inbox;

/**
 * A dead letter as somebody has seen it: it is replayed only if nothing has happened to it since. Immutable.
 *
 * @param id which delivery
 * @param attempt how many attempts it had
 */
public record DeadAttempt(DeliveryId id, int attempt) {}
