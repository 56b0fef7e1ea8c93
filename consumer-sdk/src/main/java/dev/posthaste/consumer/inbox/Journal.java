package dev.posthaste.consumer.inbox;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;

/** The statements that read the journal for those who watch. Immutable and thread-safe. */
final class Journal {

    /** Not by a cursor: entries are numbered before they are committed, so a lower one may come after a higher one. */
    private static final String TAKE = """
            UPDATE inbox.journal SET tell_at = clock_timestamp() + ? * interval '1 millisecond'
            WHERE entry IN (SELECT entry FROM inbox.journal WHERE handler = ? AND tell_at <= clock_timestamp()
                            ORDER BY entry LIMIT ? FOR UPDATE SKIP LOCKED)
            RETURNING entry, tenant, message_id, staged_at, attempt, outcome, code, summary, host, actor, reason, replay_id, at""";

    private static final String TOLD = "UPDATE inbox.journal SET tell_at = NULL WHERE entry = ANY (?)";

    private final String handler;

    Journal(String handler) {
        this.handler = handler;
    }

    List<JournalEntry> takeUntold(Connection connection, int max, Duration lease) throws SQLException {
        try (PreparedStatement take = connection.prepareStatement(TAKE)) {
            take.setLong(1, lease.toMillis());
            take.setString(2, handler);
            take.setInt(3, max);
            List<JournalEntry> taken = new ArrayList<>();
            try (ResultSet rows = take.executeQuery()) {
                while (rows.next()) {
                    taken.add(entry(rows));
                }
            }
            taken.sort(Comparator.comparingLong(JournalEntry::entry));
            return taken;
        }
    }

    private static JournalEntry entry(ResultSet row) throws SQLException {
        DeliveryId id = new DeliveryId(
                row.getString(2),
                row.getObject(3, UUID.class),
                row.getObject(4, OffsetDateTime.class).toInstant());
        return new JournalEntry(
                row.getLong(1),
                id,
                row.getInt(5),
                row.getString(6),
                row.getString(7),
                row.getString(8),
                row.getString(9),
                row.getString(10),
                row.getString(11),
                row.getObject(12, UUID.class),
                row.getObject(13, OffsetDateTime.class).toInstant());
    }

    void told(Connection connection, List<JournalEntry> entries) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(TOLD)) {
            update.setArray(1, SqlArrays.of(connection, "bigint", entries, JournalEntry::entry));
            update.executeUpdate();
        }
    }
}
