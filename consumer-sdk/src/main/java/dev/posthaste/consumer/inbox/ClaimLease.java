package dev.posthaste.consumer.inbox;

/**
 * Under which a leased delivery is run: only who holds it may end the attempt (provision S1 16).
 *
 * @param owner names the worker; unique to it
 * @param fence grows with every claim of the delivery
 */
public record ClaimLease(String owner, long fence) {}
