package dev.posthaste.consumer.replay;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import javax.sql.DataSource;

import dev.posthaste.consumer.inbox.DeadAttempt;
import dev.posthaste.consumer.inbox.DeliveryId;
import dev.posthaste.consumer.inbox.InboxStore;
import dev.posthaste.consumer.inbox.Intervention;
import dev.posthaste.consumer.inbox.PostgresInbox;
import dev.posthaste.consumer.internal.SqlErrors;
import dev.posthaste.consumer.internal.Worker;

/**
 * Looks after an inbox: what is where, which messages are dead letters and why, and how they are replayed or given up,
 * each time with actor and reason, written down in the transaction that acts (provision S1 34). It works on the
 * consuming service's database alone, whether or not its consumer runs; the consumer emits what is replayed.
 *
 * <p>A replayed dead letter keeps id, bytes and place behind its key, runs with all its attempts to come, and tells its
 * handler so ({@link dev.posthaste.consumer.Delivery#replayed()}). One whose effect is there is not run.
 *
 * <p>Thread-safe. Each call takes a connection and gives it back; its role must be a member of
 * {@code posthaste_consumer}. Every method throws {@link SQLException} if the database refuses or is away: then nothing
 * was done, or, of a replay, no more than its report tells when it is called again.
 */
public final class InboxDesk {

    private static final int PAGE_MAX = 1_000;
    private static final int RATE_MAX = 10_000;
    private static final int HISTORY_MAX = 1_000;
    private static final int CONTENTION_RETRIES_MAX = 5;
    private static final Duration LOCK_TIMEOUT = Duration.ofSeconds(10);

    /** It claims nothing. */
    private static final int CLAIMED_ATTEMPTS_MAX = 1;

    private final DataSource dataSource;
    private final Worker worker = Worker.here();

    /** Works on the database with the inbox. */
    public InboxDesk(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    /**
     * The first dead letters of a query, in the order in which they first failed.
     *
     * @param limit most to read; from 1 to 1,000
     */
    public List<DeadLetter> list(DeadLetterQuery query, int limit) throws SQLException {
        return list(query, 0, limit);
    }

    /**
     * The dead letters that follow.
     *
     * @param afterPlace {@link DeadLetter#place()} of the last one seen
     * @param limit most to read; from 1 to 1,000
     */
    public List<DeadLetter> list(DeadLetterQuery query, long afterPlace, int limit) throws SQLException {
        between("limit", limit, PAGE_MAX);
        DeadLetterSql found = new DeadLetterSql(query).after(afterPlace);
        String sql = found.select(DeadLetterSql.COLUMNS, "?") + " ORDER BY o.place";
        return transact(connection -> {
            try (PreparedStatement select = connection.prepareStatement(sql)) {
                select.setInt(found.bind(select, 1), limit);
                List<DeadLetter> letters = new ArrayList<>();
                try (ResultSet rows = select.executeQuery()) {
                    while (rows.next()) {
                        letters.add(DeadLetterSql.letter(rows));
                    }
                }
                return letters;
            }
        });
    }

    /**
     * Counts a handler's deliveries by state, the completed ones too: it reads the whole inbox of the handler, so it is
     * for an operator and not for a scrape.
     *
     * @return for each state that there is, how many are in it
     */
    public Map<String, Long> counts(String handler) throws SQLException {
        return transact(connection -> {
            try (PreparedStatement query = connection.prepareStatement(
                    "SELECT state, count(*) FROM inbox.delivery WHERE handler = ? GROUP BY state")) {
                query.setString(1, handler);
                Map<String, Long> counts = new TreeMap<>();
                try (ResultSet rows = query.executeQuery()) {
                    while (rows.next()) {
                        counts.put(rows.getString(1), rows.getLong(2));
                    }
                }
                return counts;
            }
        });
    }

    /**
     * What happened to a message with every handler of this inbox, oldest first, at most the first 1,000 entries: each
     * failed attempt, each replay, its end. A message that completed at its first attempt has no entry.
     */
    public List<JournalEntry> history(UUID messageId) throws SQLException {
        return transact(connection -> {
            try (PreparedStatement query = connection.prepareStatement("""
                    SELECT handler, attempt, outcome, code, summary, host, actor, reason, replay_id, at
                    FROM inbox.journal WHERE message_id = ? ORDER BY entry LIMIT ?""")) {
                query.setObject(1, messageId);
                query.setInt(2, HISTORY_MAX);
                List<JournalEntry> entries = new ArrayList<>();
                try (ResultSet row = query.executeQuery()) {
                    while (row.next()) {
                        entries.add(new JournalEntry(
                                row.getString(1),
                                row.getInt(2),
                                row.getString(3),
                                row.getString(4),
                                row.getString(5),
                                row.getString(6),
                                row.getString(7),
                                row.getString(8),
                                row.getObject(9, UUID.class),
                                DeadLetterSql.required(row, 10)));
                    }
                }
                return entries;
            }
        });
    }

    /**
     * Freezes the dead letters that a query finds now, and counts them; nothing is replayed yet. Markers of messages
     * that the relay has set aside are left out: they are released there.
     *
     * @throws IllegalArgumentException if there are more than 1,000,000
     */
    public Selection select(DeadLetterQuery query) throws SQLException {
        return transact(connection -> Replays.select(connection, query));
    }

    /** A selection that was made before; empty if there is none of that id, or if retention has removed it. */
    public Optional<Selection> selection(UUID id) throws SQLException {
        return transact(connection -> Replays.find(connection, id));
    }

    /**
     * Replays a selection, in its order. Called again, or twice at the same time, it goes on where it stands, under the
     * name and at the rate of the first call: each of the selection is brought back once.
     *
     * @param actor a person or a system, as the journal shall name it
     * @param reason in a sentence
     * @param ratePerSecond how many run again per second, at most; from 1 to 10,000
     * @return what was done, all calls together
     * @throws IllegalArgumentException if actor or reason is blank, or the rate out of bounds
     * @throws NoSuchElementException if there is no such selection (any more)
     */
    public ReplayReport replay(Selection selection, String actor, String reason, int ratePerSecond)
            throws SQLException {
        between("ratePerSecond", ratePerSecond, RATE_MAX);
        Intervention by = new Intervention(selection.id(), actor, reason);
        transact(connection -> {
            if (Replays.find(connection, selection.id()).isEmpty()) {
                throw new NoSuchElementException("there is no selection " + selection.id()
                        + " in this database; select again: retention removes old ones");
            }
            Replays.start(connection, selection.id(), by, ratePerSecond);
            return selection;
        });
        InboxStore inbox = inbox(selection.handler());
        boolean more = true;
        while (more) { // as often as the selection has chunks
            more = transact(connection -> Replays.advance(connection, inbox, selection.id()));
        }
        return transact(connection -> Replays.report(connection, selection.id()));
    }

    /**
     * Replays one message, at once.
     *
     * @param tenant empty for none
     * @param actor a person or a system, as the journal shall name it
     * @param reason in a sentence
     * @return whether it was requeued, is already done, or is no dead letter
     * @throws IllegalArgumentException if actor or reason is blank
     * @throws NoSuchElementException if the handler has never seen that message
     */
    public ReplayReport requeue(String handler, String tenant, UUID messageId, String actor, String reason)
            throws SQLException {
        InboxStore inbox = inbox(handler);
        var unused = new Intervention(null, actor, reason); // checked before anything is written
        return transact(connection -> {
            Selection one = Replays.selectOne(connection, handler, tenant, messageId);
            if (one.size() == 0) {
                throw unknown(handler, tenant, messageId);
            }
            Replays.start(connection, one.id(), new Intervention(one.id(), actor, reason), 1);
            Replays.advance(connection, inbox, one.id());
            return Replays.report(connection, one.id());
        });
    }

    /**
     * Gives a dead letter up: it is {@code discarded}, runs never again, and later messages of its key go on. Its
     * record stays on the dead-letter topic.
     *
     * @param tenant empty for none
     * @param actor a person or a system, as the journal shall name it
     * @param reason in a sentence
     * @return false: it is no dead letter, and nothing was done
     * @throws IllegalArgumentException if actor or reason is blank
     */
    public boolean discard(String handler, String tenant, UUID messageId, String actor, String reason)
            throws SQLException {
        InboxStore inbox = inbox(handler);
        Intervention by = new Intervention(null, actor, reason);
        List<DeadLetter> letters =
                list(DeadLetterQuery.of(handler).withTenant(tenant).withMessageId(messageId), PAGE_MAX);
        boolean discarded = false;
        for (DeadLetter letter : letters) {
            DeadAttempt attempt = new DeadAttempt(
                    new DeliveryId(letter.tenant(), letter.messageId(), letter.stagedAt()), letter.attempt());
            discarded |= transact(connection -> inbox.discard(connection, attempt, by));
        }
        return discarded;
    }

    private static NoSuchElementException unknown(String handler, String tenant, UUID messageId) {
        return new NoSuchElementException("handler " + handler + " has no message " + messageId
                + (tenant.isEmpty() ? " without a tenant" : " of tenant " + tenant)
                + " in this inbox; see which messages there are with list(...)");
    }

    private static void between(String name, int value, int max) {
        if (value < 1 || value > max) {
            throw new IllegalArgumentException(name + " is " + value + ", but must be from 1 to " + max);
        }
    }

    private InboxStore inbox(String handler) {
        return new PostgresInbox(handler, worker.owner(), worker.host(), LOCK_TIMEOUT, CLAIMED_ATTEMPTS_MAX);
    }

    /** What is done in one transaction. */
    @FunctionalInterface
    private interface Step<T> {
        T run(Connection connection) throws SQLException;
    }

    private <T> T transact(Step<T> step) throws SQLException {
        for (int i = 0; i < CONTENTION_RETRIES_MAX; i++) {
            try {
                return transactOnce(step);
            } catch (SQLException e) {
                if (!SqlErrors.isContention(e)) {
                    throw e;
                }
            }
        }
        return transactOnce(step);
    }

    private <T> T transactOnce(Step<T> step) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            boolean autoCommit = connection.getAutoCommit();
            connection.setAutoCommit(false);
            try {
                limitLocks(connection);
                T result = step.run(connection);
                connection.commit();
                connection.setAutoCommit(autoCommit);
                return result;
            } catch (SQLException | RuntimeException e) {
                if (SqlErrors.rollback(connection, e)) {
                    connection.setAutoCommit(autoCommit);
                }
                throw e;
            }
        }
    }

    private static void limitLocks(Connection connection) throws SQLException {
        try (PreparedStatement limit = connection.prepareStatement("SELECT set_config('lock_timeout', ?, true)")) {
            limit.setString(1, LOCK_TIMEOUT.toMillis() + "ms");
            limit.execute();
        }
    }
}
