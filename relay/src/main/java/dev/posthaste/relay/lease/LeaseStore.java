package dev.posthaste.relay.lease;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * The lease row of one slot (provision S1 14). Every time is the database's; transactions are short.
 *
 * <p>Each holder also keeps a session advisory lock named for its fence. The lock is free the moment the holder's
 * session ends: so a crashed leader is noticed at once, and a frozen one when its lease expires. It is taken before the
 * fence it is named for can be seen, hence nobody finds it free while its holder lives. Not thread-safe.
 */
public final class LeaseStore {

    private final Connection connection;
    private final String slot;
    private final String owner;
    private final Duration duration;

    /** Works on a connection that nobody else uses. */
    public LeaseStore(Connection connection, String slot, String owner, Duration duration) throws SQLException {
        this.connection = connection;
        this.slot = slot;
        this.owner = owner;
        this.duration = duration;
        try (Statement statement = connection.createStatement()) {
            // Frozen between two statements, nobody may keep the row from the others for longer than a lease.
            statement.execute("SET idle_in_transaction_session_timeout = " + duration.toMillis());
        }
        connection.setAutoCommit(false);
    }

    /**
     * Whether the lease looks free. A look takes no row lock and writes no WAL, so that standbys may look often; what
     * it says may be over by the time it is heard, and {@link #tryAcquire} decides.
     */
    public boolean looksFree() throws SQLException {
        return inTransaction(() -> {
            try (PreparedStatement query = connection.prepareStatement(
                    "SELECT expires_at <= clock_timestamp(), fence FROM relay.lease WHERE slot = ?")) {
                query.setString(1, slot);
                try (ResultSet rows = query.executeQuery()) {
                    return !rows.next() || rows.getBoolean(1) || sessionIsGone(rows.getLong(2));
                }
            }
        });
    }

    /**
     * Takes the lease if it is free: never taken, released, expired, or held by a session that has ended.
     *
     * @return the lease with a new fence; empty: somebody else leads
     */
    public Optional<Lease> tryAcquire() throws SQLException {
        return inTransaction(() -> {
            createRow();
            Held held = read();
            if (held == null || !(held.expired || sessionIsGone(held.fence))) {
                return Optional.empty();
            }
            return Optional.of(take(held.fence + 1));
        });
    }

    /**
     * Raises the fence above one seen elsewhere: the position may remember a leader that this table, restored from a
     * backup, does not.
     *
     * @return the lease under its new fence; empty: it is no longer ours
     */
    public Optional<Lease> raiseFence(Lease lease, long seen) throws SQLException {
        if (lease.fence() > seen) {
            return Optional.of(lease);
        }
        return inTransaction(() -> {
            if (!extend(lease, duration)) {
                return Optional.empty();
            }
            Lease raised = take(seen + 1);
            unlock(lease.fence());
            return Optional.of(raised);
        });
    }

    /** Renews the lease; false: it is another's. */
    public boolean renew(Lease lease) throws SQLException {
        return inTransaction(() -> extend(lease, duration));
    }

    /** Gives the lease back, so that a standby need not wait for its end. */
    public void release(Lease lease) throws SQLException {
        inTransaction(() -> extend(lease, Duration.ZERO));
        inTransaction(() -> {
            unlock(lease.fence());
            return true;
        });
    }

    private record Held(long fence, boolean expired) {}

    private void createRow() throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO relay.lease (slot, owner, fence, acquired_at, expires_at) "
                        + "VALUES (?, 'nobody', 1, clock_timestamp(), clock_timestamp()) ON CONFLICT (slot) DO NOTHING")) {
            insert.setString(1, slot);
            insert.executeUpdate();
        }
    }

    /** Null: another candidate, or the holder, has the row in hand at this moment. */
    private @Nullable Held read() throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(
                "SELECT fence, expires_at <= clock_timestamp() FROM relay.lease WHERE slot = ? FOR UPDATE SKIP LOCKED")) {
            query.setString(1, slot);
            try (ResultSet rows = query.executeQuery()) {
                return rows.next() ? new Held(rows.getLong(1), rows.getBoolean(2)) : null;
            }
        }
    }

    /** Shared and until the transaction's end, so that candidates who look at once do not take each other for it. */
    private boolean sessionIsGone(long fence) throws SQLException {
        return callWithLockName("SELECT pg_try_advisory_xact_lock_shared(hashtextextended(?, ?))", fence);
    }

    private Lease take(long fence) throws SQLException {
        if (!lock(fence)) {
            throw new SQLException("the advisory lock of fence " + fence + " of slot " + slot
                    + " is held before the fence was given out;" + " another program uses our lock names");
        }
        try (PreparedStatement update = connection.prepareStatement(
                "UPDATE relay.lease SET owner = ?, fence = ?, acquired_at = clock_timestamp(), "
                        + "expires_at = clock_timestamp() + ? * interval '1 millisecond' WHERE slot = ?")) {
            update.setString(1, owner);
            update.setLong(2, fence);
            update.setLong(3, duration.toMillis());
            update.setString(4, slot);
            update.executeUpdate();
        }
        return new Lease(slot, owner, fence);
    }

    private boolean extend(Lease lease, Duration by) throws SQLException {
        try (PreparedStatement renew = connection.prepareStatement(
                "UPDATE relay.lease SET expires_at = clock_timestamp() + ? * interval '1 millisecond' "
                        + "WHERE slot = ? AND owner = ? AND fence = ?")) {
            renew.setLong(1, by.toMillis());
            renew.setString(2, lease.slot());
            renew.setString(3, lease.owner());
            renew.setLong(4, lease.fence());
            return renew.executeUpdate() == 1;
        }
    }

    private boolean lock(long fence) throws SQLException {
        return callWithLockName("SELECT pg_try_advisory_lock(hashtextextended(?, ?))", fence);
    }

    private void unlock(long fence) throws SQLException {
        callWithLockName("SELECT pg_advisory_unlock(hashtextextended(?, ?))", fence);
    }

    private boolean callWithLockName(String call, long fence) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(call)) {
            statement.setString(1, "posthaste.relay." + slot);
            statement.setLong(2, fence);
            try (ResultSet rows = statement.executeQuery()) {
                rows.next();
                return rows.getBoolean(1);
            }
        }
    }

    @FunctionalInterface
    private interface Work<T> {
        T run() throws SQLException;
    }

    private <T> T inTransaction(Work<T> work) throws SQLException {
        try {
            T result = work.run();
            connection.commit();
            return result;
        } catch (SQLException e) {
            try {
                connection.rollback();
            } catch (SQLException alsoBroken) {
                e.addSuppressed(alsoBroken);
            }
            throw e;
        }
    }
}
