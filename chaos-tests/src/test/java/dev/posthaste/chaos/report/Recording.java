package dev.posthaste.chaos.report;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

import dev.posthaste.chaos.history.Entry;
import dev.posthaste.chaos.history.History;

/** Makes up a history. */
final class Recording {

    static final Instant START = Instant.parse("2026-03-01T10:00:00Z");
    static final String FIRST = "due-notice";
    static final String SECOND = "statistics";
    static final Map<String, String> VERSIONS = Map.of("Kafka", "4.3.1");

    private static final long BOUND_MILLIS = 10_000;

    private final List<Entry> entries = new ArrayList<>();
    private long tx;

    static Recording started() {
        Recording recording = new Recording();
        recording.entries.add(new Entry.Run(
                "kill-relay",
                42,
                START,
                VERSIONS,
                List.of(new Entry.HandlerKind(FIRST, true, true), new Entry.HandlerKind(SECOND, true, true)),
                new Entry.Expected(null, false),
                new Entry.Bounds(BOUND_MILLIS, 1, 1)));
        return recording;
    }

    Recording phase(long atMillis, String name) {
        entries.add(new Entry.Phase(at(atMillis), name));
        return this;
    }

    Recording fault(long atMillis, String name, boolean fired) {
        entries.add(new Entry.Fault(at(atMillis), name, fired, "exit code 137"));
        return this;
    }

    Recording sample(long atMillis, @Nullable Long pending) {
        entries.add(new Entry.Sample(at(atMillis), null, pending, null, null, null, List.of()));
        return this;
    }

    /** A transaction with one message. */
    UUID transaction(long atMillis, Entry.Result result) {
        UUID id = UUID.nameUUIDFromBytes(String.valueOf(++tx).getBytes(StandardCharsets.UTF_8));
        entries.add(new Entry.Intent(tx, at(atMillis), List.of(new Entry.Staged(id, "key", tx, "00", false, false))));
        entries.add(new Entry.Outcome(tx, at(atMillis), result, null));
        return id;
    }

    Recording stored(UUID id) {
        entries.add(new Entry.Stored(id));
        return this;
    }

    Recording published(long atMillis, String handler, UUID id) {
        entries.add(new Entry.Published(handler, 0, entries.size(), id, "key", "00", false, at(atMillis)));
        return this;
    }

    Recording effect(long atMillis, String handler, UUID id) {
        entries.add(new Entry.Effect(handler, id, "key", 1, entries.size(), at(atMillis)));
        return this;
    }

    History ended(long atMillis) {
        entries.add(new Entry.End(at(atMillis), true, null, null, 1));
        return new History(entries);
    }

    History unended() {
        return new History(entries);
    }

    private static Instant at(long millis) {
        return START.plusMillis(millis);
    }

    /** A minute with three faults, one without effect: from 20 s to 28 s nothing comes through. */
    static History minute() {
        Recording recording = started()
                .phase(0, "steady")
                .phase(18_000, "fault")
                .phase(27_000, "heal")
                .phase(50_000, "drain")
                .phase(56_000, "done")
                .fault(20_000, "SIGKILL to relay-a", true)
                .fault(20_300, "link to the database cut", false)
                .fault(27_000, "relay-a started again", true);
        for (int i = 0; i < 5000; i++) {
            long at = i * 10L + 7L * (i % 3);
            UUID id = recording.transaction(at, i % 50 == 0 ? Entry.Result.ROLLED_BACK : Entry.Result.COMMITTED);
            if (i % 50 != 0) {
                boolean late = at >= 20_000 && at < 34_000;
                long through = late ? 28_000 + (at - 20_000) * 6 / 14 : at + 120;
                recording.published(through, FIRST, id).published(through + 5, SECOND, id);
                recording.effect(through + 400, FIRST, id);
            }
        }
        for (int at = 500; at < 58_000; at += 500) {
            boolean down = at > 21_000 && at < 23_500;
            long pending = at < 20_000 || at > 34_000 ? 12 : at < 28_000 ? (at - 20_000) / 10 : (34_000 - at) / 8;
            recording.sample(at, down ? null : pending);
        }
        return recording.ended(58_000);
    }
}
