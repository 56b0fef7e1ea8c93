package dev.posthaste.relay;

import java.time.Instant;

/**
 * The life of a relay; each state holds just its own data, and its methods are the legal moves: standby → acquiring →
 * streaming → draining → standby, and from acquiring or streaming to halted, which tries again now and then.
 */
public sealed interface RelayState {

    /** Since when. */
    Instant since();

    /** Its name in health, metrics and {@code status}. */
    String wireName();

    /**
     * Another relay leads, or a store is away; this one tries to lead.
     *
     * @param note why it does not lead
     * @param able whether it could take over at this moment, as far as it knows
     */
    record Standby(Instant since, String note, boolean able) implements RelayState {

        /** One that could not take over. */
        public Standby(Instant since, String note) {
            this(since, note, false);
        }

        @Override
        public String wireName() {
            return "standby";
        }

        /** The lease is ours. */
        public Acquiring toAcquiring(Instant now, long fence) {
            return new Acquiring(now, fence);
        }
    }

    /** Has the lease and checks position and slot before it streams. */
    record Acquiring(Instant since, long fence) implements RelayState {
        @Override
        public String wireName() {
            return "acquiring";
        }

        /** Everything is checked, and the engine started. */
        public Streaming toStreaming(Instant now, long fence) {
            return new Streaming(now, fence);
        }

        /** The lease was lost, or a store is away. */
        public Standby toStandby(Instant now, String note) {
            return new Standby(now, note);
        }

        /** Found what only a person can mend. */
        public Halted toHalted(Instant now, HaltReason reason) {
            return new Halted(now, reason);
        }
    }

    /** Leads. */
    record Streaming(Instant since, long fence) implements RelayState {
        @Override
        public String wireName() {
            return "streaming";
        }

        /** The term ends: by request, by a lost lease, by an outage or by a halt; the batch in hand may finish. */
        public Draining toDraining(Instant now) {
            return new Draining(now);
        }
    }

    /** Lets the batch in hand finish and gives up the slot and the lease. */
    record Draining(Instant since) implements RelayState {
        @Override
        public String wireName() {
            return "draining";
        }

        /** Done. */
        public Standby toStandby(Instant now, String note) {
            return new Standby(now, note);
        }

        /** The term ended because of what only a person can mend. */
        public Halted toHalted(Instant now, HaltReason reason) {
            return new Halted(now, reason);
        }
    }

    /** Publishes nothing until the reason is gone; looks again now and then. */
    record Halted(Instant since, HaltReason reason) implements RelayState {
        @Override
        public String wireName() {
            return "halted";
        }

        /** Looks again. */
        public Standby toStandby(Instant now, String note) {
            return new Standby(now, note);
        }
    }
}
