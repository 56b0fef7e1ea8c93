package dev.posthaste.chaos.check;

import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import dev.posthaste.chaos.history.Entry;
import dev.posthaste.chaos.history.History;

/**
 * A history, put in order for those who look at it. Immutable.
 *
 * @param end null: the history has none
 * @param topics of every handler of the run, by its name
 * @param inboxes of every handler of the run, by its name
 * @param quarantined for which handlers a message is set aside, {@code *} for all
 */
record Facts(
        History history,
        Entry.Run run,
        Entry.@Nullable End end,
        Messages messages,
        Map<String, Topic> topics,
        Map<String, Inbox> inboxes,
        Map<UUID, Set<String>> quarantined) {

    private static final String EVERY_HANDLER = "*";

    static Facts of(History history, Entry.Run run) {
        List<Entry.End> ends = history.of(Entry.End.class);
        Map<String, List<Entry.Published>> published =
                byHandler(history, Entry.Published.class, Entry.Published::handler);
        Map<String, List<Entry.Delivery>> deliveries =
                byHandler(history, Entry.Delivery.class, Entry.Delivery::handler);
        Map<String, List<Entry.DeadLetter>> letters =
                byHandler(history, Entry.DeadLetter.class, Entry.DeadLetter::handler);
        Map<String, Topic> topics = new LinkedHashMap<>();
        Map<String, Inbox> inboxes = new LinkedHashMap<>();
        for (Entry.HandlerKind handler : run.handlers()) {
            String name = handler.name();
            topics.put(name, new Topic(published.getOrDefault(name, List.of())));
            inboxes.put(
                    name, new Inbox(deliveries.getOrDefault(name, List.of()), letters.getOrDefault(name, List.of())));
        }
        return new Facts(
                history,
                run,
                ends.isEmpty() ? null : ends.get(ends.size() - 1),
                new Messages(history, run.expected()),
                topics,
                inboxes,
                quarantined(history));
    }

    private static <T extends Entry> Map<String, List<T>> byHandler(
            History history, Class<T> kind, Function<T, String> handler) {
        return history.of(kind).stream().collect(Collectors.groupingBy(handler));
    }

    private static Map<UUID, Set<String>> quarantined(History history) {
        Map<UUID, Set<String>> handlers = new HashMap<>();
        for (Entry.Quarantined row : history.of(Entry.Quarantined.class)) {
            if (!row.state().equals("released")) { // then it is to be on the topic as any other
                handlers.computeIfAbsent(row.id(), id -> new HashSet<>()).add(row.handler());
            }
        }
        return handlers;
    }

    /** Whether the relay is to halt, so that what waits may wait for ever. */
    boolean isHaltExpected() {
        return run.expected().haltCause() != null;
    }

    /** Whether the run says that nothing was left to do. */
    boolean isDrained() {
        return end != null && end.drained();
    }

    /** The topic of a handler of the run. */
    Topic topic(String handler) {
        return known(topics.get(handler), handler);
    }

    /** The inbox of a handler of the run. */
    Inbox inbox(String handler) {
        return known(inboxes.get(handler), handler);
    }

    private static <T> T known(@Nullable T found, String handler) {
        if (found == null) {
            throw new IllegalArgumentException("handler " + handler + " is none of the run's");
        }
        return found;
    }

    /** Whether any topic has the message or a marker in its place. */
    boolean isOnAnyTopic(UUID id) {
        return topics.values().stream().anyMatch(topic -> topic.has(id));
    }

    /** Whether the relay has set the message aside, for whomever. */
    boolean isQuarantined(UUID id) {
        return quarantined.containsKey(id);
    }

    /** Whether a handler is told or an operator can see that the message is set aside for it. */
    boolean isSetAside(UUID id, String handler) {
        Set<String> handlers = quarantined.getOrDefault(id, Set.of());
        return handlers.contains(handler)
                || handlers.contains(EVERY_HANDLER)
                || topic(handler).hasMarker(id);
    }
}
