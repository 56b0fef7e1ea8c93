package dev.posthaste.relay.source;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.Collections;
import java.util.Optional;
import java.util.UUID;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads and frees the slot, and says which database this is. Uses the caller's connection; as thread-safe as that. */
public final class SourceDatabase {

    private static final Logger log = LoggerFactory.getLogger(SourceDatabase.class);
    private static final long INACTIVE_CHECK_MILLIS = 50;

    private final Connection connection;

    /** Wraps a connection in auto-commit. */
    public SourceDatabase(Connection connection) {
        this.connection = connection;
    }

    /** From here on, no statement of this connection waits longer for a lock: somebody's DDL must not hold it up. */
    public void limitLockWaits(Duration max) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET lock_timeout = " + max.toMillis());
        }
    }

    /**
     * Which database this is.
     *
     * @param timeline grows with each promotion and restore
     */
    public record Identity(String systemIdentifier, String database, long timeline) {

        /** Whether it is the same database of the same system, on whatever timeline. */
        public boolean isSameDatabaseAs(Identity other) {
            return systemIdentifier.equals(other.systemIdentifier) && database.equals(other.database);
        }

        /** For people. */
        @Override
        public String toString() {
            return "database " + database + " of system " + systemIdentifier + ", timeline " + timeline;
        }
    }

    /** Reads the identity; the timeline is the one being written now. */
    public Identity identity() throws SQLException {
        try (PreparedStatement query =
                        connection.prepareStatement("SELECT system_identifier::text, current_database(), "
                                + "('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::bigint "
                                + "FROM pg_control_system()");
                ResultSet row = query.executeQuery()) {
            row.next();
            return new Identity(row.getString(1), row.getString(2), row.getLong(3));
        }
    }

    /** Where the server writes now. */
    public Lsn walEnd() throws SQLException {
        try (PreparedStatement query = connection.prepareStatement("SELECT pg_current_wal_insert_lsn()::text");
                ResultSet row = query.executeQuery()) {
            row.next();
            return Lsn.parse(row.getString(1));
        }
    }

    /**
     * Whether the outbox holds that message.
     *
     * @param xid the 32-bit id of the transaction that must have staged it: after a restore a service may stage an id
     *     again; null: any
     */
    public boolean hasMessage(UUID id, @Nullable Long xid) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(
                "SELECT FROM outbox.message WHERE id = ? AND coalesce(staged_xid & 4294967295 = ?, true) LIMIT 1")) {
            query.setObject(1, id);
            query.setObject(2, xid, Types.BIGINT);
            try (ResultSet rows = query.executeQuery()) {
                return rows.next();
            }
        }
    }

    /** The highest number of a batch with evidence; 0 if there is none. */
    public long lastBatch(String slot) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(
                "SELECT coalesce(max(batch), 0) FROM outbox.dispatch_batch WHERE slot = ?")) {
            query.setString(1, slot);
            try (ResultSet row = query.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }

    /** Whether a batch has its evidence. */
    public boolean hasEvidence(String slot, long batch) throws SQLException {
        try (PreparedStatement query =
                connection.prepareStatement("SELECT FROM outbox.dispatch_batch WHERE slot = ? AND batch = ?")) {
            query.setString(1, slot);
            query.setLong(2, batch);
            try (ResultSet rows = query.executeQuery()) {
                return rows.next();
            }
        }
    }

    /**
     * Whether one of these messages has evidence, whatever the batch.
     *
     * @param staged when they were staged, in any order
     */
    public boolean hasEvidence(Collection<UUID> ids, Collection<Instant> staged) throws SQLException {
        if (ids.isEmpty()) {
            return false;
        }
        try (PreparedStatement query = connection.prepareStatement("SELECT FROM outbox.dispatch_batch "
                + "WHERE staged && tstzrange(?, ?, '[]') AND message_ids && ? LIMIT 1")) {
            query.setObject(1, Collections.min(staged).atOffset(ZoneOffset.UTC));
            query.setObject(2, Collections.max(staged).atOffset(ZoneOffset.UTC));
            query.setArray(3, connection.createArrayOf("uuid", ids.toArray()));
            try (ResultSet rows = query.executeQuery()) {
                return rows.next();
            }
        }
    }

    /** Reads the slot; empty if there is none of that name in this database. */
    public Optional<SlotState> slot(String slot) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(
                "SELECT plugin, confirmed_flush_lsn::text, restart_lsn::text, active_pid, wal_status, invalidation_reason, "
                        + "coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn), 0)::bigint "
                        + "FROM pg_replication_slots WHERE slot_name = ? AND database = current_database()")) {
            query.setString(1, slot);
            try (ResultSet row = query.executeQuery()) {
                if (!row.next()) {
                    return Optional.empty();
                }
                int pid = row.getInt(4);
                Integer activePid = row.wasNull() ? null : pid;
                return Optional.of(new SlotState(
                        row.getString(1),
                        lsn(row.getString(2)),
                        lsn(row.getString(3)),
                        activePid,
                        row.getString(5),
                        row.getString(6),
                        row.getLong(7)));
            }
        }
    }

    /**
     * Ends the walsender that still streams from the slot, be it of a dead, a frozen or an abandoned engine, and waits
     * until the slot is free: only then does it stand still and can be read. The walsender must belong to our own role.
     *
     * @throws SQLException if the slot is not free in time, or PostgreSQL refuses
     */
    public void freeSlot(String slot, Duration timeout) throws SQLException, InterruptedException {
        long deadline = System.nanoTime() + timeout.toNanos();
        Integer pid = activePid(slot);
        if (pid != null) {
            log.info("ending the walsender {} that still streams from slot {}", pid, slot);
        }
        while (pid != null) {
            if (System.nanoTime() - deadline > 0) {
                throw new SQLException("slot " + slot + " is still held by walsender " + pid + " after "
                        + timeout.toSeconds() + " s; end it with SELECT pg_terminate_backend(" + pid + ")");
            }
            terminate(pid);
            Thread.sleep(INACTIVE_CHECK_MILLIS);
            pid = activePid(slot);
        }
    }

    /** Drops the slot, after ending the walsender that may stream from it. */
    public void dropSlot(String slot, Duration timeout) throws SQLException, InterruptedException {
        freeSlot(slot, timeout);
        try (PreparedStatement call = connection.prepareStatement("SELECT pg_drop_replication_slot(?)")) {
            call.setString(1, slot);
            call.execute();
        }
    }

    private @Nullable Integer activePid(String slot) throws SQLException {
        return slot(slot).map(SlotState::activePid).orElse(null);
    }

    private void terminate(int pid) throws SQLException {
        try (PreparedStatement call = connection.prepareStatement("SELECT pg_terminate_backend(?)")) {
            call.setInt(1, pid);
            call.execute();
        }
    }

    private static @Nullable Lsn lsn(@Nullable String text) {
        return text == null ? null : Lsn.parse(text);
    }
}
