package dev.posthaste.schemas.catalog;

import java.util.List;
import java.util.Set;

/**
 * The record of one handler: {@code handlers/<handler>.yaml}. Immutable.
 *
 * @param handler name: lower-case letters, digits and hyphens; part of its topics' names
 * @param owner team that runs it
 * @param subscriptions what it reads
 * @param mode how it runs
 * @param order what order it is promised
 * @param onDeadLetter what a dead letter does to its key; of meaning with order per key only
 * @param delivery its durable-delivery record
 */
public record HandlerRecord(
        String handler,
        String owner,
        List<Subscription> subscriptions,
        DeliveryMode mode,
        DeliveryOrder order,
        OnDeadLetter onDeadLetter,
        DurableDelivery delivery) {

    /** Copies the subscriptions. */
    public HandlerRecord {
        subscriptions = List.copyOf(subscriptions);
    }

    /** Whether messages of that type and version are for this handler. */
    public boolean reads(String type, int version) {
        return subscriptions.stream()
                .anyMatch(subscription -> subscription.type().equals(type)
                        && subscription.versions().contains(version));
    }

    /**
     * One type that a handler reads.
     *
     * @param versions the versions it has a reader for; at least one
     */
    public record Subscription(String type, Set<Integer> versions) {
        /** Copies the versions. */
        public Subscription {
            versions = Set.copyOf(versions);
        }
    }
}
