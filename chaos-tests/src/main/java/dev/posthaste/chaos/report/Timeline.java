package dev.posthaste.chaos.report;

import java.time.Instant;
import java.util.List;

import org.jspecify.annotations.Nullable;

import dev.posthaste.chaos.history.History;

/**
 * What happened when, in milliseconds since the run's start. As long as the run was, it has at most
 * {@value #BUCKETS_MAX} buckets. Immutable.
 *
 * @param start null where the history does not know
 * @param durationMillis from the start to the end
 * @param bucketMillis how long a bucket is; the last one may be cut off by the end
 * @param handler the one whose topic and effects are counted; empty for none
 * @param buckets throughput, from the start on
 * @param backlog messages in the outbox that were on no topic, at most one figure a bucket
 * @param phases in order, without gaps
 * @param faults in order
 * @param recovery null where no fault took effect
 */
public record Timeline(
        @Nullable Instant start,
        long durationMillis,
        long bucketMillis,
        String handler,
        List<Bucket> buckets,
        List<Backlog> backlog,
        List<Phase> phases,
        List<FaultLine> faults,
        @Nullable Recovery recovery) {

    /** So many buckets at most. */
    public static final int BUCKETS_MAX = 600;

    /** Of a run that left nothing. */
    public static final Timeline EMPTY =
            new Timeline(null, 0, 1000, "", List.of(), List.of(), List.of(), List.of(), null);

    /** Keeps copies. */
    public Timeline {
        buckets = List.copyOf(buckets);
        backlog = List.copyOf(backlog);
        phases = List.copyOf(phases);
        faults = List.copyOf(faults);
    }

    /** Reads a history; one without times gives an empty timeline. */
    public static Timeline of(History history) {
        return TimelineReader.read(history);
    }

    /**
     * Messages of a stretch of time.
     *
     * @param committed by the load generator
     * @param published on the handler's topic
     * @param effects of the handler
     */
    public record Bucket(long committed, long published, long effects) {}

    /**
     * A backlog.
     *
     * @param pending the most that was seen in its bucket; null: it was asked for and could not be told
     */
    public record Backlog(long atMillis, @Nullable Long pending) {}

    /** A stretch of the run. */
    public record Phase(String name, long fromMillis, long untilMillis) {}

    /**
     * From the end of the last fault to the first message that was committed after it on every topic.
     *
     * @param fromMillis the end of the last fault
     * @param tookMillis null: no such message came
     * @param boundMillis how long it may take; null where the history does not know
     */
    public record Recovery(
            long fromMillis,
            @Nullable Long tookMillis,
            @Nullable Long boundMillis) {}

    boolean isEmpty() {
        return !hasMessages() && backlog.isEmpty() && phases.isEmpty() && faults.isEmpty();
    }

    boolean hasMessages() {
        return buckets.stream().anyMatch(bucket -> bucket.committed() + bucket.published() + bucket.effects() > 0);
    }

    long backlogMax() {
        return backlog.stream()
                .map(Backlog::pending)
                .filter(pending -> pending != null)
                .mapToLong(pending -> pending)
                .max()
                .orElse(0);
    }

    /** A bucket's count as messages per second. */
    double perSecond(long count) {
        return count * 1000.0 / bucketMillis;
    }
}
