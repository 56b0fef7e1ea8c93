package dev.posthaste.chaos.check;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

import dev.posthaste.chaos.history.Entry;

/** What a handler's inbox knows, and what is on its dead-letter topic. Immutable. */
final class Inbox {

    /** A state of an inbox row. */
    static final String COMPLETED = "completed";

    /** A state of an inbox row. */
    static final String DEAD_LETTER = "dead-letter";

    private static final Set<String> GIVEN_UP = Set.of(DEAD_LETTER, "discarded");

    private final Map<UUID, Entry.Delivery> deliveries = new HashMap<>();
    private final Set<UUID> deadLetters = new HashSet<>();

    Inbox(List<Entry.Delivery> deliveries, List<Entry.DeadLetter> deadLetters) {
        deliveries.forEach(delivery -> this.deliveries.put(delivery.id(), delivery));
        for (Entry.DeadLetter letter : deadLetters) {
            UUID id = letter.id();
            if (id != null) {
                this.deadLetters.add(id);
            }
        }
    }

    /** All rows, by id. */
    Map<UUID, Entry.Delivery> deliveries() {
        return deliveries;
    }

    /** The state of a message's delivery; null: it has none. */
    @Nullable
    String state(UUID id) {
        Entry.Delivery delivery = deliveries.get(id);
        return delivery == null ? null : delivery.state();
    }

    boolean isCompleted(UUID id) {
        return COMPLETED.equals(state(id));
    }

    /** Whether it is to have no effect, until somebody replays it. */
    boolean isGivenUp(UUID id) {
        String state = state(id);
        return state != null && GIVEN_UP.contains(state);
    }

    boolean hasDeadLetter(UUID id) {
        return deadLetters.contains(id);
    }
}
