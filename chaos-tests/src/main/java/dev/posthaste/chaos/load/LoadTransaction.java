package dev.posthaste.chaos.load;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

import dev.posthaste.chaos.history.Entry;
import dev.posthaste.chaos.history.Entry.Result;
import dev.posthaste.chaos.history.HistoryWriter;

/**
 * One transaction, from its locks to its outcome in the history. Its intent is on the disk before it is asked to end;
 * so a history without an outcome says that nobody knows it. Used once, by one thread.
 */
final class LoadTransaction {

    private static final int BATCH_MAX = 500;

    private final long tx;
    private final Plan plan;
    private final MessageMaker maker;
    private final HistoryWriter history;
    private final StopSignal stop;
    private final List<Entry.Staged> staged = new ArrayList<>();

    LoadTransaction(long tx, Plan plan, MessageMaker maker, HistoryWriter history, StopSignal stop) {
        this.tx = tx;
        this.plan = plan;
        this.maker = maker;
        this.history = history;
        this.stop = stop;
    }

    /**
     * How it ended.
     *
     * @param failure why it did not end as planned; the connection is of no more use then
     */
    record Ended(Result result, @Nullable SQLException failure) {}

    Ended run(Connection connection) {
        try {
            connection.setAutoCommit(false);
            insertAll(connection, lockAndNumber(connection));
            stop.await(plan.openFor().toMillis());
        } catch (SQLException e) {
            // The server was never asked to commit, so it will not, whatever it has seen of the messages.
            history.write(intent());
            return end(Result.ROLLED_BACK, null, e);
        }
        history.writeThrough(intent());
        return plan.rollsBack() ? rollBack(connection) : commit(connection);
    }

    private Entry.Intent intent() {
        return new Entry.Intent(tx, Instant.now(), List.copyOf(staged));
    }

    /** In the order of the keys, so that two transactions never lock in different orders. The next number of each. */
    private Map<String, Long> lockAndNumber(Connection connection) throws SQLException {
        Map<String, Long> next = new TreeMap<>();
        plan.messages().forEach(message -> next.merge(message.key(), message.undone() ? 0L : 1L, Long::sum));
        try (PreparedStatement count =
                connection.prepareStatement("INSERT INTO chaos.counter AS c (key, n) VALUES (?, ?)"
                        + " ON CONFLICT (key) DO UPDATE SET n = c.n + excluded.n RETURNING n")) {
            for (Map.Entry<String, Long> key : next.entrySet()) {
                count.setString(1, key.getKey());
                count.setLong(2, key.getValue());
                try (ResultSet row = count.executeQuery()) {
                    row.next();
                    key.setValue(row.getLong(1) - key.getValue() + 1);
                }
            }
        }
        return next;
    }

    private void insertAll(Connection connection, Map<String, Long> next) throws SQLException {
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO outbox.message (id, kind, type, schema_version, key, payload)"
                        + " VALUES (?, 'integration-event', ?, 1, ?, ?::json)")) {
            int waiting = 0;
            for (Plan.Message planned : plan.messages()) {
                if (planned.undone() || waiting == BATCH_MAX) {
                    insert.executeBatch();
                    waiting = 0;
                }
                long number = next.getOrDefault(planned.key(), 0L);
                if (planned.undone()) {
                    insertAndUndo(connection, insert, planned, number);
                } else {
                    add(insert, planned, number);
                    next.put(planned.key(), number + 1);
                    waiting++;
                }
            }
            insert.executeBatch();
        }
    }

    /** It has the number that the next of its key that is not undone gets. */
    private void insertAndUndo(Connection connection, PreparedStatement insert, Plan.Message planned, long number)
            throws SQLException {
        Savepoint savepoint = connection.setSavepoint();
        add(insert, planned, number);
        insert.executeBatch();
        connection.rollback(savepoint);
        connection.releaseSavepoint(savepoint);
    }

    private void add(PreparedStatement insert, Plan.Message planned, long number) throws SQLException {
        MessageMaker.Made made = maker.make(planned, number);
        staged.add(made.staged());
        insert.setObject(1, made.staged().id());
        insert.setString(2, made.type());
        insert.setString(3, planned.key());
        insert.setString(4, made.payload());
        insert.addBatch();
    }

    private Ended rollBack(Connection connection) {
        try {
            connection.rollback();
            return end(Result.ROLLED_BACK, null, null);
        } catch (SQLException e) {
            return end(Result.ROLLED_BACK, null, e);
        }
    }

    private Ended commit(Connection connection) {
        try {
            connection.commit();
        } catch (SQLException e) {
            return end(Result.UNKNOWN, null, e);
        }
        try {
            return end(Result.COMMITTED, walEnd(connection), null);
        } catch (SQLException e) {
            return end(Result.COMMITTED, null, e);
        }
    }

    /** At or after the commit record of what this connection has just committed. */
    private static String walEnd(Connection connection) throws SQLException {
        connection.setAutoCommit(true); // else the question would begin a transaction
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT pg_current_wal_insert_lsn()::text")) {
            row.next();
            return row.getString(1);
        }
    }

    private Ended end(Result result, @Nullable String lsn, @Nullable SQLException failure) {
        history.write(new Entry.Outcome(tx, Instant.now(), result, lsn));
        return new Ended(result, failure);
    }
}
