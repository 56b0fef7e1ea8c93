package dev.posthaste.chaos.report;

import java.util.List;

import dev.posthaste.chaos.history.Entry;
import dev.posthaste.chaos.history.History;

/**
 * How much a run moved. Immutable.
 *
 * @param committed messages whose transaction was confirmed, or is of unknown end and left its row
 * @param published records on all handlers' topics, markers apart
 * @param effects rows of transactional handlers, and calls that were answered
 */
public record Totals(long committed, long published, long effects) {

    /** Of a scenario that did not run. */
    public static final Totals NONE = new Totals(0, 0, 0);

    /** Counts what a history has. */
    public static Totals of(History history) {
        long committed = Commit.of(history).stream()
                .mapToLong(commit -> commit.ids().size())
                .sum();
        List<Entry.Published> published = history.of(Entry.Published.class);
        long markers = published.stream().filter(Entry.Published::marker).count();
        long rows = history.of(Entry.Effect.class).size();
        long calls = history.of(Entry.Call.class).stream()
                .filter(Entry.Call::answered)
                .count();
        return new Totals(committed, published.size() - markers, rows + calls);
    }
}
