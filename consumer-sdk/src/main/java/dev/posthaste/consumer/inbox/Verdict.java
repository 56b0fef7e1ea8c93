package dev.posthaste.consumer.inbox;

import java.time.Instant;

import org.jspecify.annotations.Nullable;

/** What is to be done with an arrival. */
public sealed interface Verdict {

    /**
     * Run it: the claim is ours.
     *
     * @param attempt which attempt this is, over the message's whole life
     * @param forgiven attempts that count towards no bound: before a replay, or lost to locks
     * @param firstSeenAt when the message first came in
     * @param countedFrom from when the retry horizon counts: then, or the last replay
     */
    record Run(int attempt, int forgiven, Instant firstSeenAt, Instant countedFrom) implements Verdict {}

    /**
     * It is ours under that lease.
     *
     * @param run as what it runs
     * @param expired whether the claim it was taken over from had expired: that attempt is to be written down as
     *     failed, and nothing to be run
     */
    record Leased(Run run, ClaimLease lease, boolean expired) implements Verdict {}

    /** It is completed, or a later attempt is under way, or it is kept already: nothing to do. */
    record Skip(boolean completed) implements Verdict {}

    /** An earlier message of its key waits: keep it behind that one. */
    record Wait() implements Verdict {}

    /**
     * An attempt at it was begun and never ended: its process died, or its lease expired.
     *
     * @param begun the attempt
     */
    record Unfinished(Run begun) implements Verdict {}

    /** Another worker has it in hand, under a live lease. */
    record Busy(@Nullable String owner, Instant until) implements Verdict {}
}
