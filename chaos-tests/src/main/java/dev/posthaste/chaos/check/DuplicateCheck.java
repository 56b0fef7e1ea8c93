package dev.posthaste.chaos.check;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

import dev.posthaste.chaos.history.Entry;

/** Whether a message is on a handler's topic twice, or the marker of one is. */
final class DuplicateCheck implements Check {

    @Override
    public void judge(Facts facts, Findings findings) {
        for (Map.Entry<String, Topic> topic : facts.topics().entrySet()) {
            Set<UUID> messages = new HashSet<>();
            Set<UUID> markers = new HashSet<>();
            for (Entry.Published record : topic.getValue().records()) {
                findings.looked(Invariant.DUPLICATE, 1);
                UUID id = record.id();
                if (id != null && !(record.marker() ? markers : messages).add(id)) {
                    findings.add(
                            Invariant.DUPLICATE,
                            "a message is on the topic of handler " + topic.getKey() + " more than once",
                            record);
                }
            }
        }
    }
}
