package dev.posthaste.consumer.internal;

import java.util.LinkedHashMap;
import java.util.Map;

import dev.posthaste.consumer.inbox.DeliveryId;

/**
 * How often a message has cost its transaction the connection while the database was there: closed in its handler,
 * ended by the server for something it did, given up by the pool. Once may be chance, a session that somebody ended, or
 * a server that was back at once; again and again it is the message's doing. Kept in memory: it is found again soon
 * enough. Thread-safe.
 */
final class LostConnections {

    /** The loss that is a failed attempt. */
    static final int LOSSES_MAX = 3;

    private static final int REMEMBERED_MAX = 1_000;

    private final Map<DeliveryId, Integer> losses = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<DeliveryId, Integer> eldest) {
            return size() > REMEMBERED_MAX;
        }
    };

    /** One more; whether it is the message's doing, which begins to be counted anew then. */
    synchronized boolean isOfTheMessage(DeliveryId id) {
        int now = losses.merge(id, 1, Integer::sum);
        if (now >= LOSSES_MAX) {
            losses.remove(id);
            return true;
        }
        return false;
    }
}
