package dev.posthaste.consumer.inbox;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The inbox of one handler (S3). Every method works on the connection given, inside its transaction, and neither
 * commits nor rolls back. All times are the database's. Thread-safe.
 */
public interface InboxStore {

    /** Bounds every wait for a lock in this transaction, the handler's own statements included. */
    void limitLocks(Connection connection) throws SQLException;

    /**
     * Claims arrivals for a transactional handler and marks those it grants as completed at once: others see that if
     * and only if the transaction commits. It waits for transactions under way that hold the same deliveries.
     *
     * @param arrivals of one partition, in order
     * @return a verdict for each, in order
     */
    Claim claim(Connection connection, List<Arrival> arrivals) throws SQLException;

    /**
     * What a claim gave.
     *
     * @param verdicts one for each arrival
     * @param transaction id of the transaction, which must still be the same before the commit; empty if it granted
     *     nothing
     * @param keys ordering keys of which messages that waited are completed or new ones wait: for {@link #letGo} once
     *     this is committed
     */
    record Claim(List<Verdict> verdicts, String transaction, List<byte[]> keys) {
        /** Copies the lists. */
        public Claim {
            verdicts = List.copyOf(verdicts);
            keys = List.copyOf(keys);
        }
    }

    /**
     * Uses business keys for messages that are about to run; none stays if the transaction is rolled back. It waits for
     * transactions under way that use the same keys.
     *
     * @param keys in the order of the messages
     * @return a verdict for each, in order
     */
    List<KeyVerdict> useKeys(Connection connection, List<BusinessKey> keys) throws SQLException;

    /** Throws if the claim's transaction was ended behind the SDK's back. */
    void requireSameTransaction(Connection connection, Claim claim) throws SQLException;

    /**
     * The same after a rollback: throws if the claim is there all the same, for its transaction was committed before.
     */
    void requireRolledBack(Connection connection, Claim claim) throws SQLException;

    /**
     * Says before an attempt that it begins, so that one that takes its process along is counted. To be committed
     * before the attempt; {@link #claim} then grants it to the same owner.
     *
     * @return the verdict; {@link Verdict.Run} if it may begin
     */
    Verdict begin(Connection connection, Arrival arrival) throws SQLException;

    /**
     * Claims an arrival for a leased handler, under a fence above every earlier one of its delivery. To be committed
     * before the call. A claim of this owner is granted again, since its commit may not have been heard of: whoever
     * asks has nothing under way for the delivery.
     *
     * @param lease how long the claim is good for
     * @return {@link Verdict.Leased} if it is ours; {@link Verdict.Busy} under another's live claim
     */
    Verdict lease(Connection connection, Arrival arrival, Duration lease) throws SQLException;

    /**
     * Renews claims; one whose row somebody has locked is left for the next time.
     *
     * @return those that are held no longer: somebody else has them, or what came of them is written
     */
    List<LeasedDelivery> renew(Connection connection, List<LeasedDelivery> held, Duration lease) throws SQLException;

    /**
     * Completes a leased delivery; as often as asked under its own fence.
     *
     * @param attempt which attempt it was
     * @return false: it is no longer held, and nothing was written
     */
    boolean complete(Connection connection, LeasedDelivery held, int attempt) throws SQLException;

    /**
     * Gives a claim back as if its attempt had not begun.
     *
     * @return false: it is no longer held, and nothing was written
     */
    boolean release(Connection connection, LeasedDelivery held) throws SQLException;

    /**
     * Writes down a failed attempt, with its record for the retry or the dead letter, unless another worker has got
     * further with the delivery meanwhile. A dead letter gives the business key back that it has.
     *
     * @return whether it was written; false: the delivery is another's business by now
     */
    boolean fail(Connection connection, FailedAttempt failed) throws SQLException;

    /**
     * Keeps an arrival behind an earlier message of its key; does nothing if it is kept already.
     *
     * @param waitingMax most messages that may wait for one key
     * @return false: there are that many
     */
    boolean keepBehind(Connection connection, Arrival arrival, StoredRecord record, int waitingMax) throws SQLException;

    /**
     * Brings dead letters back: each is pending, with all attempts so far forgiven and its horizon begun anew, and is
     * emitted to the retry topic when it is due. The journal tells who did it, why, and which failure it answers.
     *
     * @param wanted each only if it is a dead letter of just that attempt
     * @param first when the first that is brought back is due, on the database's clock
     * @param apart how much later each further one is due
     * @return what became of each, in order
     */
    List<Requeued> requeue(
            Connection connection, List<DeadAttempt> wanted, Intervention by, Instant first, Duration apart)
            throws SQLException;

    /**
     * Gives a dead letter up: its record is dropped, and later messages of its key go on. The journal tells who and
     * why.
     *
     * @return false: it is no dead letter of that attempt, and nothing was done
     */
    boolean discard(Connection connection, DeadAttempt letter, Intervention by) throws SQLException;

    /** Counts deliveries by state; {@code completed} is left out, there are too many to count often. */
    Map<String, Long> countsByState(Connection connection) throws SQLException;

    /** What waits: since when, and for which topic. */
    Waiting waiting(Connection connection) throws SQLException;

    /** The partitions of a topic that this handler has ever begun to read. */
    Set<Integer> startedPartitions(Connection connection, String topic) throws SQLException;

    /** Remembers that this handler has begun to read a partition. */
    void startPartition(Connection connection, String topic, int partition) throws SQLException;

    /**
     * Takes records that are due, for a while: nobody else gets them before the lease is over.
     *
     * @param route where they go
     * @param max at most that many
     */
    List<DueRecord> takeDue(Connection connection, Route route, int max, Duration lease) throws SQLException;

    /** Writes down that a record was emitted; nothing if it is due anew meanwhile. */
    void emitted(Connection connection, List<DueRecord> records) throws SQLException;

    /** Writes down that a record could not be emitted; it is due again after the delay. */
    void notEmitted(Connection connection, DueRecord record, String error, Duration delay) throws SQLException;

    /** Lets the next messages of keys go that wait for nobody any more. */
    void letGo(Connection connection, List<byte[]> keys) throws SQLException;

    /**
     * The same for every key: for whom a process has let go nobody before it ended.
     *
     * @return how many went
     */
    int letGoOfAll(Connection connection) throws SQLException;

    /**
     * Takes journal entries that nobody has told of yet, for a while: nobody else gets them before the lease is over.
     *
     * @param max at most that many
     */
    List<JournalEntry> takeUntold(Connection connection, int max, Duration lease) throws SQLException;

    /** Writes down that they were told of. */
    void told(Connection connection, List<JournalEntry> entries) throws SQLException;

    /** Where a kept record goes. */
    enum Route {
        /** The retry topic, when it is due. */
        RETRY("retry"),
        /** The dead-letter topic. */
        DEAD_LETTER("dead-letter");

        private final String wireName;

        Route(String wireName) {
            this.wireName = wireName;
        }

        /** The name in {@code inbox.outgoing.route}. */
        public String wireName() {
            return wireName;
        }
    }
}
