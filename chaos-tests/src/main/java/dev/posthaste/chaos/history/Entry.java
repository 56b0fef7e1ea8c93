package dev.posthaste.chaos.history;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import org.jspecify.annotations.Nullable;

/**
 * One line of a history. Immutable. What the processes under test say of themselves is no part of it, but for samples:
 * the load generator tells what it asked for and what it was answered, and everything else is read from topics and
 * tables once the run is over.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "entry")
@JsonSubTypes({
    @JsonSubTypes.Type(value = Entry.Run.class, name = "run"),
    @JsonSubTypes.Type(value = Entry.Phase.class, name = "phase"),
    @JsonSubTypes.Type(value = Entry.Fault.class, name = "fault"),
    @JsonSubTypes.Type(value = Entry.Sample.class, name = "sample"),
    @JsonSubTypes.Type(value = Entry.Intent.class, name = "intent"),
    @JsonSubTypes.Type(value = Entry.Outcome.class, name = "outcome"),
    @JsonSubTypes.Type(value = Entry.Stored.class, name = "stored"),
    @JsonSubTypes.Type(value = Entry.Published.class, name = "published"),
    @JsonSubTypes.Type(value = Entry.Batch.class, name = "batch"),
    @JsonSubTypes.Type(value = Entry.Quarantined.class, name = "quarantined"),
    @JsonSubTypes.Type(value = Entry.Delivery.class, name = "delivery"),
    @JsonSubTypes.Type(value = Entry.DeadLetter.class, name = "dead-letter"),
    @JsonSubTypes.Type(value = Entry.Effect.class, name = "effect"),
    @JsonSubTypes.Type(value = Entry.Call.class, name = "call"),
    @JsonSubTypes.Type(value = Entry.End.class, name = "end"),
})
public sealed interface Entry {

    /**
     * What was run; the first line.
     *
     * @param versions of Posthaste, Java, PostgreSQL and Kafka, by name
     * @param handlers every handler, by name
     * @param expected how it is to end
     * @param bounds what may not be exceeded
     */
    record Run(
            String scenario,
            long seed,
            Instant at,
            Map<String, String> versions,
            List<HandlerKind> handlers,
            Expected expected,
            Bounds bounds)
            implements Entry {}

    /**
     * A handler under test.
     *
     * @param transactional its effects are rows of its own database; else calls of a provider
     * @param ordered whether its effects are in order per key
     */
    record HandlerKind(String name, boolean transactional, boolean ordered) {}

    /**
     * How a run is to end.
     *
     * @param haltCause the cause with which the relay is to have halted; null: it streams and everything is drained
     * @param databaseMayLose whether commits that were acknowledged may be missing in the database that is left, as
     *     after a failover to a standby that lacked them; what was published of them is then no aborted read
     */
    record Expected(@Nullable String haltCause, boolean databaseMayLose) {}

    /**
     * What may not be exceeded.
     *
     * @param recoveryMillis from the end of the last fault to the first message that was committed after it on every
     *     topic
     * @param relayHeapBytes heap in use by a relay, garbage apart
     * @param walBytes WAL that the slot holds back once everything is drained
     */
    record Bounds(long recoveryMillis, long relayHeapBytes, long walBytes) {

        /** The wider of each. */
        public Bounds and(Bounds other) {
            return new Bounds(
                    Math.max(recoveryMillis, other.recoveryMillis),
                    Math.max(relayHeapBytes, other.relayHeapBytes),
                    Math.max(walBytes, other.walBytes));
        }
    }

    /** A phase begins: {@code steady}, {@code fault}, {@code heal}, {@code drain}, {@code done}. */
    record Phase(Instant at, String name) implements Entry {}

    /**
     * Something was broken, or mended.
     *
     * @param name what was done, to whom
     * @param fired whether it was seen to have taken effect
     * @param evidence how that was seen
     */
    record Fault(Instant at, String name, boolean fired, String evidence) implements Entry {}

    /**
     * How things stood, as far as they could be asked; null for what could not.
     *
     * @param published up to where the first handler's topic is committed, marks at the end of transactions included
     * @param pending messages in the outbox that are on no topic as far as the outbox knows
     * @param effects place of the newest row of effects, of all transactional handlers; those rolled back have places
     * @param calls of leased handlers that their provider has answered with success
     * @param walBytes WAL that the slot holds back
     * @param relayHeapBytes the largest heap in use by a relay after a collection
     * @param relays what each relay says of its state
     */
    record Sample(
            Instant at,
            @Nullable Long published,
            @Nullable Long pending,
            @Nullable Long effects,
            @Nullable Long calls,
            @Nullable Long walBytes,
            @Nullable Long relayHeapBytes,
            List<String> relays)
            implements Entry {

        /** Without a provider to ask. */
        public Sample(
                Instant at,
                @Nullable Long published,
                @Nullable Long pending,
                @Nullable Long effects,
                @Nullable Long walBytes,
                @Nullable Long relayHeapBytes,
                List<String> relays) {
            this(at, published, pending, effects, null, walBytes, relayHeapBytes, relays);
        }
    }

    /** A transaction of the load generator's that is about to end; flushed to disk before it is asked to. */
    record Intent(long tx, Instant at, List<Staged> messages) implements Entry {}

    /**
     * A message of an intent.
     *
     * @param number its place among those of its key, from a counter whose row is locked until the transaction ends: of
     *     what is committed, 1, 2, 3 … in commit order
     * @param sha256 of the payload, in hex
     * @param undone whether it was inserted under a savepoint that is rolled back
     * @param refused whether no handler can be given it: it is to be set aside and never published
     */
    record Staged(UUID id, String key, long number, String sha256, boolean undone, boolean refused) {}

    /**
     * What became of a transaction.
     *
     * @param lsn a place in the WAL at or after its commit record; null where it is not known
     */
    record Outcome(
            long tx, Instant at, Result result, @Nullable String lsn) implements Entry {}

    /** How a transaction ended. */
    enum Result {
        /** The server has confirmed the commit. */
        COMMITTED,
        /** It was rolled back, on purpose or by an error. */
        ROLLED_BACK,
        /** It was asked to commit and did not answer: either. */
        UNKNOWN
    }

    /** A row of the outbox in the database that is left. */
    record Stored(UUID id) implements Entry {}

    /**
     * A record on a handler's topic that a reader of what is committed sees.
     *
     * @param id null where it cannot be read
     * @param sha256 of the value, in hex
     * @param marker whether it says that a message was set aside, and is none
     * @param at its timestamp
     * @param later whether it says of itself that it was repaired or released, and so comes outside the order
     */
    record Published(
            String handler,
            int partition,
            long offset,
            @Nullable UUID id,
            @Nullable String key,
            String sha256,
            boolean marker,
            Instant at,
            boolean later)
            implements Entry {

        /** One of the stream. */
        public Published(
                String handler,
                int partition,
                long offset,
                @Nullable UUID id,
                @Nullable String key,
                String sha256,
                boolean marker,
                Instant at) {
            this(handler, partition, offset, id, key, sha256, marker, at, false);
        }
    }

    /** A row of evidence. */
    record Batch(long batch, long fence, Instant completedAt, List<UUID> ids) implements Entry {}

    /** A row of the relay's quarantine. */
    record Quarantined(UUID id, String handler, String state, String reason) implements Entry {}

    /** A row of a handler's inbox. */
    record Delivery(String handler, UUID id, String state, int attempt) implements Entry {}

    /** A record on a handler's dead-letter topic. */
    record DeadLetter(String handler, @Nullable UUID id, String sha256) implements Entry {}

    /**
     * A row of a transactional handler's effects, in the order of their commits per key.
     *
     * @param number that of the message
     * @param place its place in the table: a sequence
     */
    record Effect(String handler, UUID id, String key, long number, long place, Instant at) implements Entry {}

    /**
     * A call that a leased handler made, as its provider saw it.
     *
     * @param idempotencyKey the message's id
     * @param answered with success
     */
    record Call(String handler, String idempotencyKey, boolean answered, Instant at) implements Entry {}

    /**
     * The last line.
     *
     * @param drained whether nothing was left to do within the bound
     * @param haltCause the cause with which the leading relay had halted; null for none
     * @param confirmedLsn up to where the slot has been told that the WAL is not needed; null where there is no slot
     * @param leaseFence the fence of who led last
     */
    record End(
            Instant at,
            boolean drained,
            @Nullable String haltCause,
            @Nullable String confirmedLsn,
            long leaseFence) implements Entry {}
}
