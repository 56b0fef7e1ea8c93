package dev.posthaste.chaos.check;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

import dev.posthaste.chaos.history.Entry;

/** What is on a handler's topic. Immutable. */
final class Topic {

    private final List<Entry.Published> records;
    private final Map<UUID, Entry.Published> messages = new LinkedHashMap<>();
    private final Set<UUID> markers = new HashSet<>();

    Topic(Collection<Entry.Published> records) {
        List<Entry.Published> sorted = new ArrayList<>(records);
        sorted.sort(Comparator.comparingInt(Entry.Published::partition).thenComparingLong(Entry.Published::offset));
        this.records = sorted;
        for (Entry.Published record : sorted) {
            UUID id = record.id();
            if (id != null && record.marker()) {
                markers.add(id);
            } else if (id != null) {
                messages.putIfAbsent(id, record);
            }
        }
    }

    /** All records, by partition and offset. */
    List<Entry.Published> records() {
        return records;
    }

    /** The first record of each message; markers are none. */
    Map<UUID, Entry.Published> messages() {
        return messages;
    }

    /** The first record of a message; null: none. */
    Entry.@Nullable Published message(UUID id) {
        return messages.get(id);
    }

    boolean hasMessage(UUID id) {
        return messages.containsKey(id);
    }

    boolean hasMarker(UUID id) {
        return markers.contains(id);
    }

    /** Whether there is anything in the place of that message, itself or a marker. */
    boolean has(UUID id) {
        return hasMessage(id) || hasMarker(id);
    }
}
