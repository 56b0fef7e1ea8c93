package dev.posthaste.relay.quarantine;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

/** Reads rows of {@code outbox.quarantined}, resolves them, and audits it; whoever calls commits. */
final class Rows {

    /** What {@link #read} reads; {@code q} is the row, {@code m} its message. */
    static final String COLUMNS =
            "q.message_id, q.created_at, m.type, q.handler, q.state, q.cause, q.last_error, q.attempt, q.quarantined_at, q.next_attempt ";

    static final String FROM =
            "FROM outbox.quarantined q LEFT JOIN outbox.message m ON m.id = q.message_id AND m.created_at = q.created_at ";

    /**
     * The batch of {@code q} has its evidence: before that, the next leader might publish it as the catalog says then.
     */
    static final String PROVED = "EXISTS (SELECT FROM outbox.dispatch_batch b "
            + "WHERE b.staged @> q.created_at AND q.message_id = ANY (b.message_ids)) ";

    private Rows() {}

    static List<QuarantinedMessage> query(Connection connection, String sql, @Nullable Object... parameters)
            throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                query.setObject(i + 1, parameters[i]);
            }
            try (ResultSet rows = query.executeQuery()) {
                List<QuarantinedMessage> messages = new ArrayList<>();
                while (rows.next()) {
                    messages.add(read(rows));
                }
                return messages;
            }
        }
    }

    private static QuarantinedMessage read(ResultSet row) throws SQLException {
        OffsetDateTime next = row.getObject(10, OffsetDateTime.class);
        return new QuarantinedMessage(
                row.getObject(1, UUID.class),
                row.getObject(2, OffsetDateTime.class).toInstant(),
                row.getString(3),
                row.getString(4),
                row.getString(5),
                row.getString(6),
                row.getString(7),
                row.getInt(8),
                row.getObject(9, OffsetDateTime.class).toInstant(),
                next == null ? null : next.toInstant());
    }

    /** Says that an open one is resolved; false: it is not open any more. */
    static boolean resolve(Connection connection, QuarantinedMessage message, String state) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(
                "UPDATE outbox.quarantined SET state = ?, resolved_at = clock_timestamp(), next_attempt = NULL, trying_until = NULL "
                        + "WHERE message_id = ? AND handler = ? AND created_at = ? AND state = 'quarantined'")) {
            update.setString(1, state);
            update.setObject(2, message.messageId());
            update.setString(3, message.handler());
            update.setObject(4, utc(message.createdAt()));
            return update.executeUpdate() == 1;
        }
    }

    static void audit(
            Connection connection, QuarantinedMessage message, String action, QuarantineDesk.Responsibility who)
            throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO outbox.audit (actor, action, reason, message_id, handler, failure) VALUES (?, ?, ?, ?, ?, ?)")) {
            insert.setString(1, who.actor());
            insert.setString(2, action);
            insert.setString(3, who.reason());
            insert.setObject(4, message.messageId());
            insert.setString(5, message.handler());
            insert.setString(6, message.cause() + ": " + message.lastError());
            insert.executeUpdate();
        }
    }

    static OffsetDateTime utc(Instant instant) {
        return instant.atOffset(ZoneOffset.UTC);
    }
}
