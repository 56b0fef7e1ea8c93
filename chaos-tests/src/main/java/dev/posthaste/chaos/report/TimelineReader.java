package dev.posthaste.chaos.report;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import dev.posthaste.chaos.history.Entry;
import dev.posthaste.chaos.history.History;

/** Makes a timeline of a history. Used by one thread, once. */
final class TimelineReader {

    private static final long SECOND_MILLIS = 1000;

    private final History history;
    private final List<Commit> commits;
    private final Instant start;
    private final long durationMillis;
    private final long bucketMillis;

    private TimelineReader(History history, List<Commit> commits, Instant start, Instant end) {
        this.history = history;
        this.commits = commits;
        this.start = start;
        this.durationMillis =
                Math.max(SECOND_MILLIS, Duration.between(start, end).toMillis());
        long seconds = ceilDiv(durationMillis, SECOND_MILLIS);
        this.bucketMillis = SECOND_MILLIS * ceilDiv(seconds, Timeline.BUCKETS_MAX);
    }

    static Timeline read(History history) {
        List<Commit> commits = Commit.of(history);
        List<Instant> times = history.entries().stream()
                .flatMap(TimelineReader::time)
                .sorted()
                .toList();
        if (times.isEmpty()) {
            return Timeline.EMPTY;
        }
        // What carries a stray clock's time must not stretch the picture where start and end are told.
        Instant start = history.of(Entry.Run.class).stream()
                .findFirst()
                .map(Entry.Run::at)
                .orElse(times.get(0));
        Instant end = history.of(Entry.End.class).stream()
                .findFirst()
                .map(Entry.End::at)
                .orElse(times.get(times.size() - 1));
        return new TimelineReader(history, commits, start, end).timeline();
    }

    private static Stream<Instant> time(Entry entry) {
        if (entry instanceof Entry.Run run) {
            return Stream.of(run.at());
        }
        if (entry instanceof Entry.Phase phase) {
            return Stream.of(phase.at());
        }
        if (entry instanceof Entry.Fault fault) {
            return Stream.of(fault.at());
        }
        if (entry instanceof Entry.Sample sample) {
            return Stream.of(sample.at());
        }
        if (entry instanceof Entry.Outcome outcome) {
            return Stream.of(outcome.at());
        }
        if (entry instanceof Entry.Published published) {
            return Stream.of(published.at());
        }
        return entry instanceof Entry.End end ? Stream.of(end.at()) : Stream.empty();
    }

    private Timeline timeline() {
        Optional<Entry.Run> run = history.of(Entry.Run.class).stream().findFirst();
        List<String> handlers = run.map(Entry.Run::handlers).orElse(List.of()).stream()
                .map(Entry.HandlerKind::name)
                .toList();
        String handler = handlers.isEmpty() ? "" : handlers.get(0);
        List<FaultLine> faults = history.of(Entry.Fault.class).stream()
                .sorted(Comparator.comparing(Entry.Fault::at))
                .map(fault -> new FaultLine(offset(fault.at()), fault.name(), fault.fired(), fault.evidence()))
                .toList();
        return new Timeline(
                start,
                durationMillis,
                bucketMillis,
                handler,
                buckets(handler),
                backlog(),
                phases(),
                faults,
                recovery(
                        handlers,
                        run.map(Entry.Run::bounds)
                                .map(Entry.Bounds::recoveryMillis)
                                .orElse(null)));
    }

    private List<Timeline.Bucket> buckets(String handler) {
        int size = bucketCount();
        long[] committed = new long[size];
        long[] published = new long[size];
        long[] effects = new long[size];
        commits.forEach(commit -> committed[bucket(commit.at())] += commit.ids().size());
        Consumer<Instant> effect = at -> effects[bucket(at)]++;
        history.of(Entry.Published.class).stream()
                .filter(row -> row.handler().equals(handler) && !row.marker())
                .forEach(row -> published[bucket(row.at())]++);
        history.of(Entry.Effect.class).stream()
                .filter(row -> row.handler().equals(handler))
                .map(Entry.Effect::at)
                .forEach(effect);
        history.of(Entry.Call.class).stream()
                .filter(call -> call.handler().equals(handler) && call.answered())
                .map(Entry.Call::at)
                .forEach(effect);
        List<Timeline.Bucket> buckets = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            buckets.add(new Timeline.Bucket(committed[i], published[i], effects[i]));
        }
        return buckets;
    }

    private List<Timeline.Backlog> backlog() {
        Timeline.@Nullable Backlog[] worst = new Timeline.Backlog[bucketCount()];
        for (Entry.Sample sample : history.of(Entry.Sample.class)) {
            int bucket = bucket(sample.at());
            Timeline.Backlog before = worst[bucket];
            if (before == null || orLess(sample.pending()) > orLess(before.pending())) {
                worst[bucket] = new Timeline.Backlog(offset(sample.at()), sample.pending());
            }
        }
        return Stream.of(worst).filter(Objects::nonNull).toList();
    }

    private static long orLess(@Nullable Long pending) {
        return pending == null ? -1 : pending;
    }

    private List<Timeline.Phase> phases() {
        List<Entry.Phase> begun = history.of(Entry.Phase.class).stream()
                .sorted(Comparator.comparing(Entry.Phase::at))
                .toList();
        List<Timeline.Phase> phases = new ArrayList<>();
        for (int i = 0; i < begun.size(); i++) {
            long until = i + 1 < begun.size() ? offset(begun.get(i + 1).at()) : durationMillis;
            phases.add(
                    new Timeline.Phase(begun.get(i).name(), offset(begun.get(i).at()), until));
        }
        return phases;
    }

    private Timeline.@Nullable Recovery recovery(List<String> handlers, @Nullable Long boundMillis) {
        return Recovered.lastFault(history)
                .map(mended -> new Timeline.Recovery(
                        offset(mended),
                        Recovered.after(mended, commits, handlers, history)
                                .map(at -> Duration.between(mended, at).toMillis())
                                .orElse(null),
                        boundMillis))
                .orElse(null);
    }

    private int bucketCount() {
        return (int) ceilDiv(durationMillis, bucketMillis);
    }

    private int bucket(Instant at) {
        return (int) Math.min(bucketCount() - 1, offset(at) / bucketMillis);
    }

    /** What is outside, by a clock that differs, is moved to the nearer edge: a count must not lose it. */
    private long offset(Instant at) {
        long millis = Duration.between(start, at).toMillis();
        return Math.max(0, Math.min(durationMillis, millis));
    }

    private static long ceilDiv(long value, long divisor) {
        return (value + divisor - 1) / divisor;
    }
}
