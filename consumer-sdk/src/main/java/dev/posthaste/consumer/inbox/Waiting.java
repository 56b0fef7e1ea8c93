package dev.posthaste.consumer.inbox;

import java.util.Map;

/**
 * What waits in the inbox of one handler. Immutable.
 *
 * @param oldestSeconds how long ago the oldest message that is not settled was staged, by the inbox database's clock; 0
 *     if none waits
 * @param outgoing how many kept records are to be put on each route's topic, now or later
 */
public record Waiting(double oldestSeconds, Map<InboxStore.Route, Long> outgoing) {

    /** Copies the map. */
    public Waiting {
        outgoing = Map.copyOf(outgoing);
    }
}
