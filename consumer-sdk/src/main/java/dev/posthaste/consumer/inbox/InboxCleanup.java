package dev.posthaste.consumer.inbox;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * Removes what is past its handler's retention, counted from completion; what waits, runs or is a dead letter stays
 * however old it is, with its business key and its journal. Each method is a statement of its own and leaves the
 * transaction to the caller. Stateless.
 */
public final class InboxCleanup {

    private static final String STATE = """
            INSERT INTO inbox.retention (handler, kept) VALUES (?, make_interval(secs => ?))
            ON CONFLICT (handler) DO UPDATE SET kept = excluded.kept, stated_at = excluded.stated_at""";

    private static final String DROP = "SELECT inbox.drop_expired_partition()";

    private InboxCleanup() {}

    /** Tables that are cleaned row by row, in this order. */
    public enum Rows {
        /** Deliveries that lie in no daily partition. */
        DELIVERIES("""
                DELETE FROM inbox.delivery_default WHERE state IN ('completed', 'discarded') AND ctid = ANY (ARRAY(
                    SELECT d.ctid FROM inbox.delivery_default d JOIN inbox.cutoff c USING (handler)
                    WHERE d.state IN ('completed', 'discarded') AND coalesce(d.completed_at, d.first_seen_at) < c.before
                    LIMIT ?))"""),
        /** Business keys. */
        BUSINESS_KEYS("""
                DELETE FROM inbox.business_key WHERE (handler, tenant, key) IN (
                    SELECT k.handler, k.tenant, k.key FROM inbox.business_key k JOIN inbox.cutoff c USING (handler)
                    WHERE k.used_at < c.before AND NOT EXISTS (
                        SELECT FROM inbox.delivery d WHERE d.handler = k.handler AND d.tenant = k.tenant
                        AND d.message_id = k.message_id AND d.staged_at = k.staged_at
                        AND d.state NOT IN ('completed', 'discarded'))
                    LIMIT ?)"""),
        /** The journal. */
        JOURNAL("""
                DELETE FROM inbox.journal WHERE entry IN (
                    SELECT j.entry FROM inbox.journal j JOIN inbox.cutoff c USING (handler)
                    WHERE j.at < c.before AND NOT EXISTS (
                        SELECT FROM inbox.delivery d WHERE d.handler = j.handler AND d.tenant = j.tenant
                        AND d.message_id = j.message_id AND d.staged_at = j.staged_at
                        AND d.state NOT IN ('completed', 'discarded'))
                    LIMIT ?)"""),
        /** What replays selected. */
        REPLAY_ITEMS("""
                DELETE FROM inbox.replay_item WHERE (replay_id, number) IN (
                    SELECT i.replay_id, i.number FROM inbox.replay r JOIN inbox.cutoff c USING (handler)
                    JOIN inbox.replay_item i USING (replay_id) WHERE r.selected_at < c.before LIMIT ?)"""),
        /** Replays. */
        REPLAYS("""
                DELETE FROM inbox.replay WHERE replay_id IN (
                    SELECT r.replay_id FROM inbox.replay r JOIN inbox.cutoff c USING (handler)
                    WHERE r.selected_at < c.before
                    AND NOT EXISTS (SELECT FROM inbox.replay_item i WHERE i.replay_id = r.replay_id)
                    LIMIT ?)""");

        private final String delete;

        Rows(String delete) {
            this.delete = delete;
        }
    }

    /**
     * States how long a handler's rows are kept. Those of handlers for which nobody has are kept for ever.
     *
     * @param kept null: for ever
     */
    public static void state(Connection connection, String handler, @Nullable Duration kept) throws SQLException {
        try (PreparedStatement upsert = connection.prepareStatement(STATE)) {
            upsert.setString(1, handler);
            upsert.setObject(2, kept == null ? null : (double) kept.toSeconds(), Types.DOUBLE);
            upsert.executeUpdate();
        }
    }

    /**
     * Drops a daily partition in which every row may go.
     *
     * @return its name; empty: there is none
     */
    public static Optional<String> dropPartition(Connection connection) throws SQLException {
        try (PreparedStatement drop = connection.prepareStatement(DROP);
                ResultSet row = drop.executeQuery()) {
            row.next();
            return Optional.ofNullable(row.getString(1));
        }
    }

    /**
     * Deletes rows that may go.
     *
     * @param max at most that many
     * @return how many
     */
    public static int delete(Connection connection, Rows rows, int max) throws SQLException {
        try (PreparedStatement delete = connection.prepareStatement(rows.delete)) {
            delete.setInt(1, max);
            return delete.executeUpdate();
        }
    }
}
