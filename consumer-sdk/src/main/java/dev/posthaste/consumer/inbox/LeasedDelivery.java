package dev.posthaste.consumer.inbox;

/**
 * A claim of a leased delivery. Immutable.
 *
 * @param id which delivery
 * @param lease under which it is held
 */
public record LeasedDelivery(DeliveryId id, ClaimLease lease) {}
