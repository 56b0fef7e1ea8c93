package dev.posthaste.schemas;

import java.time.Instant;

/**
 * Where a message stands with one handler; the states of {@code inbox.delivery}, each with just its own data and its
 * legal moves: pending → processing → completed | failed | dead-letter, failed → processing when due, and by audited
 * replay dead-letter → pending, or by an operator's word dead-letter → discarded (provision S1 32).
 */
public sealed interface DeliveryState {

    /** The name in {@code inbox.delivery.state}. */
    String wireName();

    /** Accepted and not yet run. */
    record Pending(int attempt) implements DeliveryState {
        @Override
        public String wireName() {
            return "pending";
        }

        /** Claimed by a member of the handler's group. */
        public Processing toProcessing(String owner, Instant leaseExpiry, long fence) {
            return new Processing(attempt + 1, owner, leaseExpiry, fence);
        }
    }

    /** Being run by the owner, which alone may end it, and only under this fence. */
    record Processing(int attempt, String owner, Instant leaseExpiry, long fence) implements DeliveryState {
        @Override
        public String wireName() {
            return "processing";
        }

        /** The effect is there. */
        public Completed toCompleted(Instant completedAt) {
            return new Completed(attempt, completedAt);
        }

        /** The attempt failed; another follows when visible. */
        public Failed toFailed(Instant visibleAfter) {
            return new Failed(attempt, visibleAfter);
        }

        /** Permanent, or the last attempt. */
        public DeadLetter toDeadLetter(String reason) {
            return new DeadLetter(reason, attempt);
        }

        /** The lease expired; the delivery is eligible again. */
        public Pending toPending() {
            return new Pending(attempt);
        }
    }

    /** The effect exists; the end of its life. */
    record Completed(int attempt, Instant completedAt) implements DeliveryState {
        @Override
        public String wireName() {
            return "completed";
        }
    }

    /** Waits for its next attempt. */
    record Failed(int attempt, Instant visibleAfter) implements DeliveryState {
        @Override
        public String wireName() {
            return "failed";
        }

        /** Claimed again, once visible. */
        public Processing toProcessing(String owner, Instant leaseExpiry, long fence) {
            return new Processing(attempt + 1, owner, leaseExpiry, fence);
        }
    }

    /** Kept until an operator replays or discards it. */
    record DeadLetter(String reason, int attempts) implements DeliveryState {
        @Override
        public String wireName() {
            return "dead-letter";
        }

        /** Replayed by an operator; the audit row is the caller's to write first. */
        public Pending toPending() {
            return new Pending(attempts);
        }

        /** Given up by an operator; the audit row is the caller's to write first. */
        public Discarded toDiscarded() {
            return new Discarded(reason, attempts);
        }
    }

    /** Given up: the end of its life, without the effect. */
    record Discarded(String reason, int attempts) implements DeliveryState {
        @Override
        public String wireName() {
            return "discarded";
        }
    }
}
