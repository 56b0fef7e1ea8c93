package dev.posthaste.chaos.check;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import dev.posthaste.chaos.history.Entry;

/**
 * Whether the messages of a key come in commit order, which their numbers tell. Only what is committed has a place in
 * it: the numbers of what was rolled back, or forgotten by the database, are given out again.
 */
final class OrderCheck implements Check {

    @Override
    public void judge(Facts facts, Findings findings) {
        Set<UUID> later = facts.history().of(Entry.Published.class).stream()
                .filter(Entry.Published::later)
                .map(Entry.Published::id)
                .filter(Objects::nonNull)
                .collect(Collectors.toSet());
        facts.topics().forEach((handler, topic) -> judge(handler, topic, new Keys(later), facts, findings));
        Map<String, List<Entry.Effect>> effects =
                facts.history().of(Entry.Effect.class).stream().collect(Collectors.groupingBy(Entry.Effect::handler));
        for (Entry.HandlerKind handler : facts.run().handlers()) {
            if (handler.ordered()) {
                judge(
                        handler.name(),
                        effects.getOrDefault(handler.name(), List.of()),
                        new Keys(later),
                        facts,
                        findings);
            }
        }
    }

    private static void judge(String handler, Topic topic, Keys keys, Facts facts, Findings findings) {
        Map<String, Integer> partitions = new HashMap<>();
        for (Entry.Published record : topic.records()) {
            Message message = keys.next(record.id(), record.marker(), facts);
            if (message == null) {
                continue;
            }
            findings.looked(Invariant.ORDER, 1);
            Integer before = partitions.putIfAbsent(message.staged().key(), record.partition());
            if (before != null && before != record.partition()) {
                findings.add(
                        Invariant.ORDER,
                        "a key is in two partitions of the topic of handler " + handler,
                        record + ", and partition " + before);
            } else if (!keys.isInOrder(message)) {
                findings.add(
                        Invariant.ORDER,
                        "a message comes after a later one of its key on the topic of handler " + handler,
                        record + ", " + message);
            }
        }
    }

    private static void judge(String handler, List<Entry.Effect> effects, Keys keys, Facts facts, Findings findings) {
        List<Entry.Effect> placed = new ArrayList<>(effects);
        placed.sort(Comparator.comparingLong(Entry.Effect::place));
        for (Entry.Effect effect : placed) {
            Message message = keys.next(effect.id(), false, facts);
            if (message == null) {
                continue;
            }
            findings.looked(Invariant.ORDER, 1);
            if (!keys.isInOrder(message)) {
                findings.add(
                        Invariant.ORDER,
                        "an effect comes after that of a later message of its key at handler " + handler,
                        effect);
            }
        }
    }

    /** Where each key stands, in one pass over what is in order. */
    private static final class Keys {
        private final Map<String, Long> last = new HashMap<>();
        private final Set<UUID> seen = new HashSet<>();

        /** Repaired or released, as their records say: they come outside the order, and so does their effect. */
        private final Set<UUID> later;

        Keys(Set<UUID> later) {
            this.later = later;
        }

        /** The message to be judged; null: it has no place in the order, or was judged where it came first. */
        @Nullable
        Message next(@Nullable UUID id, boolean marker, Facts facts) {
            Message message = facts.messages().find(id);
            if (message == null
                    || later.contains(message.staged().id())
                    || !message.isCommitted()
                    || (!marker && !message.mayBePublished())) {
                return null;
            }
            return seen.add(message.staged().id()) ? message : null;
        }

        boolean isInOrder(Message message) {
            Long before = last.put(message.staged().key(), message.staged().number());
            return before == null || before < message.staged().number();
        }
    }
}
