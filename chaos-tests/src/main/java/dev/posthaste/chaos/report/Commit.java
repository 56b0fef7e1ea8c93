package dev.posthaste.chaos.report;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

import dev.posthaste.chaos.history.Entry;
import dev.posthaste.chaos.history.History;

/** A transaction that committed, and the messages it left. */
record Commit(Instant at, List<UUID> ids) {

    /** All of a history: those that were confirmed, and of unknown ones what is in the outbox. */
    static List<Commit> of(History history) {
        Map<Long, Entry.Intent> intents = new HashMap<>();
        history.of(Entry.Intent.class).forEach(intent -> intents.put(intent.tx(), intent));
        Set<UUID> stored = new HashSet<>();
        history.of(Entry.Stored.class).forEach(row -> stored.add(row.id()));
        List<Commit> commits = new ArrayList<>();
        for (Entry.Outcome outcome : history.of(Entry.Outcome.class)) {
            Entry.Intent intent = intents.get(outcome.tx());
            if (intent == null || outcome.result() == Entry.Result.ROLLED_BACK) {
                continue;
            }
            boolean confirmed = outcome.result() == Entry.Result.COMMITTED;
            List<UUID> ids = intent.messages().stream()
                    .filter(message -> !message.undone())
                    .map(Entry.Staged::id)
                    .filter(id -> confirmed || stored.contains(id))
                    .toList();
            if (!ids.isEmpty()) {
                commits.add(new Commit(outcome.at(), ids));
            }
        }
        return commits;
    }
}
