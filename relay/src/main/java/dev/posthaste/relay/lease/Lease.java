package dev.posthaste.relay.lease;

/**
 * The right to publish from a slot, until it expires or another takes it.
 *
 * @param slot what it is for
 * @param owner who holds it: unique to one process
 * @param fence greater than that of every holder before
 */
public record Lease(String slot, String owner, long fence) {}
