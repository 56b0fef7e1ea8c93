package dev.posthaste.consumer.internal;

import java.time.Clock;
import java.util.List;

import org.jspecify.annotations.Nullable;

import dev.posthaste.consumer.ConsumerSettings;
import dev.posthaste.consumer.RetryPolicy;
import dev.posthaste.schemas.catalog.DeliveryMode;
import dev.posthaste.schemas.catalog.DeliveryOrder;
import dev.posthaste.schemas.catalog.HandlerRecord;
import dev.posthaste.schemas.catalog.OnDeadLetter;

/**
 * What a handler says in code beyond what it reads. It may narrow its catalog record and not contradict it. Immutable.
 *
 * @param retry null: as the record says
 * @param permanent failures that no other attempt would mend
 * @param perKey null: as the record says
 * @param leasing null: nothing said
 * @param concurrency most chunks of one partition at a time
 */
public record HandlerOptions(
        @Nullable RetryPolicy retry,
        List<Class<? extends Throwable>> permanent,
        @Nullable OnDeadLetter perKey,
        @Nullable Leasing leasing,
        int concurrency) {

    private static final int CONCURRENCY_MAX = 64;
    private static final int THREADS_MAX = 256;

    /** Nothing said. */
    public static final HandlerOptions NONE = new HandlerOptions(null, List.of(), null, null, 1);

    /** Copies the list and checks the number. */
    public HandlerOptions {
        permanent = List.copyOf(permanent);
        if (concurrency < 1 || concurrency > CONCURRENCY_MAX) {
            throw new IllegalArgumentException(
                    "concurrency is " + concurrency + ", but must be from 1 to " + CONCURRENCY_MAX);
        }
    }

    /** The same with that policy. */
    public HandlerOptions withRetry(RetryPolicy policy) {
        return new HandlerOptions(policy, permanent, perKey, leasing, concurrency);
    }

    /** The same with those failures. */
    public HandlerOptions withPermanent(List<Class<? extends Throwable>> failures) {
        return new HandlerOptions(retry, failures, perKey, leasing, concurrency);
    }

    /** The same with that order. */
    public HandlerOptions withPerKey(OnDeadLetter onDeadLetter) {
        return new HandlerOptions(retry, permanent, onDeadLetter, leasing, concurrency);
    }

    /** The same with those times. */
    public HandlerOptions withLeasing(Leasing times) {
        return new HandlerOptions(retry, permanent, perKey, times, concurrency);
    }

    /** The same with that many chunks of a partition at a time. */
    public HandlerOptions withConcurrency(int chunks) {
        return new HandlerOptions(retry, permanent, perKey, leasing, chunks);
    }

    /** What is said, else the defaults. */
    public Leasing leasingOrDefault() {
        return leasing == null ? Leasing.DEFAULTS : leasing;
    }

    /** The times of a leased handler; null for a transactional one. */
    public @Nullable Leasing leasing(HandlerRecord record) {
        return record.mode() == DeliveryMode.LEASED ? leasingOrDefault() : null;
    }

    /**
     * Refuses what does not go with how the consumer is run.
     *
     * @throws IllegalArgumentException naming both values
     */
    public void requireFits(String handler, ConsumerSettings settings) {
        if (leasing != null) {
            leasing.requireFits(handler, settings);
        }
        int threads = concurrency * settings.lanesMax();
        if (threads > THREADS_MAX) {
            throw new IllegalArgumentException("handler " + handler + " has concurrency " + concurrency
                    + " and lanesMax is " + settings.lanesMax() + ": that is " + threads
                    + " threads and connections at a time, but at most " + THREADS_MAX + " may be; lower one of them");
        }
    }

    /** The policy: the code's, else the record's. */
    public FailurePolicy failurePolicy(HandlerRecord record, Clock clock) {
        return new FailurePolicy(
                retry == null ? RetryPolicy.of(record.delivery().retry()) : retry, permanent, clock);
    }

    void requireWithin(HandlerRecord record) {
        RetryPolicy ofRecord = RetryPolicy.of(record.delivery().retry());
        if (retry != null && !retry.isWithin(ofRecord)) {
            throw new IllegalArgumentException(
                    "handler " + record.handler() + " has " + retry + " in code, but " + ofRecord + " in handlers/"
                            + record.handler() + ".yaml; code may narrow the record, not widen it");
        }
        if (leasing != null && record.mode() != DeliveryMode.LEASED) {
            throw new IllegalArgumentException("handler " + record.handler() + " has lease(" + leasing.lease()
                    + ") or callMax(" + leasing.callMax() + ") in code, but is " + record.mode() + " in handlers/"
                    + record.handler() + ".yaml; take them out, or make it mode: leased");
        }
        if (perKey != null && (record.order() != DeliveryOrder.PER_KEY || record.onDeadLetter() != perKey)) {
            throw new IllegalArgumentException("handler " + record.handler() + " is per-key with " + perKey
                    + " behind a dead letter in code, but " + record.order() + " with " + record.onDeadLetter()
                    + " in handlers/" + record.handler() + ".yaml; make them equal");
        }
    }
}
