package dev.posthaste.consumer.internal;

import java.time.Duration;

import dev.posthaste.consumer.ConsumerSettings;

/**
 * How long the claims and the calls of a leased handler last.
 *
 * @param lease how long a claim is good for without renewal; from 1 s to 1 h
 * @param callMax after what time a call is taken for hung; at most 24 h
 */
public record Leasing(Duration lease, Duration callMax) {

    private static final Duration LEASE_MIN = Duration.ofSeconds(1);
    private static final Duration LEASE_MAX = Duration.ofHours(1);
    private static final Duration CALL_MAX = Duration.ofHours(24);

    /** What counts where nothing is said; made after the bounds that it is checked against. */
    public static final Leasing DEFAULTS = new Leasing(Duration.ofSeconds(30), Duration.ofMinutes(5));

    /** Checks each by itself; {@link #requireFits} checks them against the rest. */
    public Leasing {
        if (lease.compareTo(LEASE_MIN) < 0 || lease.compareTo(LEASE_MAX) > 0) {
            throw new IllegalArgumentException(
                    "lease is " + lease + ", but must be from " + LEASE_MIN + " to " + LEASE_MAX);
        }
        if (callMax.compareTo(LEASE_MIN) < 0 || callMax.compareTo(CALL_MAX) > 0) {
            throw new IllegalArgumentException("callMax is " + callMax + ", but must be from the lease to " + CALL_MAX);
        }
    }

    /** The same with that lease. */
    public Leasing withLease(Duration time) {
        return new Leasing(time, callMax);
    }

    /** The same with that bound. */
    public Leasing withCallMax(Duration max) {
        return new Leasing(lease, max);
    }

    /** A third of the lease: two renewals may fail. */
    Duration renewEvery() {
        return lease.dividedBy(3);
    }

    /** Refuses what does not go together, naming both. */
    void requireFits(String handler, ConsumerSettings settings) {
        if (callMax.compareTo(lease) < 0) {
            throw new IllegalArgumentException("handler " + handler + " has callMax(" + callMax + "), shorter than its "
                    + "lease of " + lease + "; make it at least that");
        }
        if (lease.compareTo(settings.lockTimeout()) <= 0) {
            throw new IllegalArgumentException("handler " + handler + " has lease(" + lease
                    + "), but lockTimeout is " + settings.lockTimeout()
                    + ": a completion that waits for a lock would outlive its lease; make the lease longer or"
                    + " lockTimeout shorter");
        }
    }
}
