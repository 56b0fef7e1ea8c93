package dev.posthaste.schemas;

import java.time.Instant;

/**
 * Where a message stands in the outbox; each state holds just its own data, and its methods are the legal moves:
 * pending → processing → dispatched | pending | failed | dead-letter, failed → processing when due, and by audited
 * replay failed or dead-letter → pending (provision S1 32).
 */
public sealed interface MessageState {

    /** The name in {@code outbox.record}. */
    String wireName();

    /** Committed and not yet taken into a batch. */
    record Pending(int attempt) implements MessageState {
        @Override
        public String wireName() {
            return "pending";
        }

        /** Taken into the open batch of the leader. */
        public Processing toProcessing(String owner, Instant leaseExpiry, long fence) {
            return new Processing(attempt + 1, owner, leaseExpiry, fence);
        }
    }

    /** In the open batch of the relay that holds the lease. */
    record Processing(int attempt, String owner, Instant leaseExpiry, long fence) implements MessageState {
        @Override
        public String wireName() {
            return "processing";
        }

        /** Every handler's copy is committed in Kafka and the evidence in PostgreSQL. */
        public Dispatched toDispatched(Instant completedAt) {
            return new Dispatched(attempt, completedAt);
        }

        /** The batch was not committed; the message is eligible again. */
        public Pending toPending() {
            return new Pending(attempt);
        }

        /** It cannot be published, but that may pass; another attempt follows. */
        public Failed toFailed(Instant nextAttempt) {
            return new Failed(attempt, nextAttempt);
        }

        /** It cannot be published. */
        public DeadLetter toDeadLetter(String reason) {
            return new DeadLetter(reason, attempt);
        }
    }

    /** Published; the end of its life. */
    record Dispatched(int attempt, Instant completedAt) implements MessageState {
        @Override
        public String wireName() {
            return "dispatched";
        }
    }

    /** Could not be published to a handler; waits for its next attempt, or for an operator. */
    record Failed(int attempt, Instant nextAttempt) implements MessageState {
        @Override
        public String wireName() {
            return "failed";
        }

        /** Claimed again by the leader, once due. */
        public Processing toProcessing(String owner, Instant leaseExpiry, long fence) {
            return new Processing(attempt + 1, owner, leaseExpiry, fence);
        }

        /** Replayed by an operator before it is due; the audit row is the caller's to write first. */
        public Pending toPending() {
            return new Pending(attempt);
        }
    }

    /** Kept until an operator replays or discards it. */
    record DeadLetter(String reason, int attempts) implements MessageState {
        @Override
        public String wireName() {
            return "dead-letter";
        }

        /** Replayed by an operator; the audit row is the caller's to write first. */
        public Pending toPending() {
            return new Pending(attempts);
        }
    }
}
