package dev.posthaste.chaos.check;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

import dev.posthaste.chaos.history.Entry;
import dev.posthaste.chaos.history.History;

/**
 * All that was staged, and what became of it. The load generator's word decides where it has one; where it has none,
 * the database does. Immutable.
 */
final class Messages {

    private final Map<UUID, Message> byId = new LinkedHashMap<>();
    private final List<Transaction> transactions = new ArrayList<>();
    private final Set<UUID> stored = new HashSet<>();
    private final boolean databaseMayLose;

    /** A transaction; its outcome is unknown where it has none. */
    record Transaction(long tx, Entry.Result result, List<Message> messages) {

        /** Whether the database has some of what it may have had, and not all. */
        boolean isTorn() {
            List<Message> kept = messages.stream().filter(Message::mayBeSeen).toList();
            long stored = kept.stream().filter(Message::stored).count();
            return stored > 0 && stored < kept.size();
        }
    }

    Messages(History history, Entry.Expected expected) {
        this.databaseMayLose = expected.databaseMayLose();
        history.of(Entry.Stored.class).forEach(row -> stored.add(row.id()));
        Map<Long, Entry.Outcome> outcomes = new HashMap<>();
        history.of(Entry.Outcome.class).forEach(outcome -> outcomes.put(outcome.tx(), outcome));
        for (Entry.Intent intent : history.of(Entry.Intent.class)) {
            transactions.add(transaction(intent, outcomes.get(intent.tx())));
        }
    }

    private Transaction transaction(Entry.Intent intent, Entry.@Nullable Outcome outcome) {
        Entry.Result result = outcome == null ? Entry.Result.UNKNOWN : outcome.result();
        boolean anyStored =
                intent.messages().stream().anyMatch(staged -> !staged.undone() && stored.contains(staged.id()));
        List<Message> messages = new ArrayList<>();
        for (Entry.Staged staged : intent.messages()) {
            boolean isStored = stored.contains(staged.id());
            Message message =
                    new Message(staged, intent.tx(), fate(staged, result, isStored, anyStored), isStored, outcome);
            messages.add(message);
            byId.putIfAbsent(staged.id(), message);
        }
        return new Transaction(intent.tx(), result, messages);
    }

    private Message.Fate fate(Entry.Staged staged, Entry.Result result, boolean isStored, boolean anyStored) {
        if (result == Entry.Result.ROLLED_BACK) {
            return Message.Fate.ROLLED_BACK;
        }
        if (staged.undone()) {
            return Message.Fate.UNDONE;
        }
        if (databaseMayLose) {
            return isStored ? Message.Fate.COMMITTED : Message.Fate.FORGOTTEN;
        }
        boolean committed = result == Entry.Result.COMMITTED || anyStored;
        return committed ? Message.Fate.COMMITTED : Message.Fate.NEVER_COMMITTED;
    }

    /** The message of that id; null: nobody staged it. */
    @Nullable
    Message find(@Nullable UUID id) {
        return id == null ? null : byId.get(id);
    }

    Collection<Message> all() {
        return byId.values();
    }

    List<Transaction> transactions() {
        return transactions;
    }
}
