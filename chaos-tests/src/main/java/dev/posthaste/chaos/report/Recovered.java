package dev.posthaste.chaos.report;

import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

import dev.posthaste.chaos.history.Entry;
import dev.posthaste.chaos.history.History;

/** When the last fault was over, and when messages came through again. */
final class Recovered {

    private static final String HEAL = "heal";

    private Recovered() {}

    /** The last that was done or mended, or the phase that mends if that came later; empty when nothing took effect. */
    static Optional<Instant> lastFault(History history) {
        List<Entry.Fault> fired = history.of(Entry.Fault.class).stream()
                .filter(Entry.Fault::fired)
                .toList();
        if (fired.isEmpty()) {
            return Optional.empty();
        }
        Stream<Instant> heals = history.of(Entry.Phase.class).stream()
                .filter(phase -> phase.name().equals(HEAL))
                .map(Entry.Phase::at);
        return Stream.concat(fired.stream().map(Entry.Fault::at), heals).max(Comparator.naturalOrder());
    }

    /** When every one of these handlers' topics had a message that was committed after that; empty if one has none. */
    static Optional<Instant> after(Instant mended, List<Commit> commits, List<String> handlers, History history) {
        Set<UUID> later = new HashSet<>();
        commits.stream().filter(commit -> !commit.at().isBefore(mended)).forEach(commit -> later.addAll(commit.ids()));
        Map<String, Instant> first = new HashMap<>();
        for (Entry.Published row : history.of(Entry.Published.class)) {
            if (!row.marker() && row.id() != null && later.contains(row.id())) {
                first.merge(row.handler(), row.at(), (one, other) -> one.isBefore(other) ? one : other);
            }
        }
        boolean all = !handlers.isEmpty() && first.keySet().containsAll(handlers);
        // A record's time is that of its sending, which may be a little before its commit was confirmed.
        return all
                ? first.values().stream().max(Comparator.naturalOrder()).map(at -> at.isBefore(mended) ? mended : at)
                : Optional.empty();
    }
}
