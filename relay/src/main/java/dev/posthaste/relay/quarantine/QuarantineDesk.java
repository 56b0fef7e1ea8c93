package dev.posthaste.relay.quarantine;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

/**
 * What an operator sees of the quarantine, and how it is resolved: each with actor and reason, in one transaction with
 * its audit row (provision S1 34). Uses the caller's connection, in transactions of its own; as thread-safe as that.
 */
public final class QuarantineDesk {

    private static final String COLUMNS =
            "q.message_id, q.created_at, m.type, q.handler, q.state, q.cause, q.last_error, q.attempt, q.quarantined_at "
                    + "FROM outbox.quarantined q LEFT JOIN outbox.message m ON m.id = q.message_id AND m.created_at = q.created_at ";

    private final Connection connection;

    /** Works on that connection, and takes it out of auto-commit. */
    public QuarantineDesk(Connection connection) throws SQLException {
        this.connection = connection;
        connection.setAutoCommit(false);
    }

    /**
     * Who does something, and why.
     *
     * @param actor a person or a system, as the audit shall name it
     * @param reason in a sentence
     */
    public record Responsibility(String actor, String reason) {

        /** Refuses what would leave the audit empty. */
        public Responsibility {
            if (actor.isBlank() || reason.isBlank()) {
                throw new IllegalArgumentException("actor is \"" + actor + "\" and reason is \"" + reason
                        + "\", but the audit needs both; say who does this, and why");
            }
        }
    }

    /** What is done with a message before its row says that it is resolved. */
    @FunctionalInterface
    public interface Resolution {

        /** Does it; an exception leaves the row as it was. */
        void apply(QuarantinedMessage message) throws Exception;
    }

    /**
     * The open ones, oldest first.
     *
     * @param handler null: of all handlers
     * @param limit most to read
     */
    public List<QuarantinedMessage> list(@Nullable String handler, int limit) throws SQLException {
        return read(
                "SELECT " + COLUMNS + "WHERE q.state = 'quarantined' AND (?::text IS NULL OR q.handler = ?) "
                        + "ORDER BY q.quarantined_at LIMIT " + limit,
                handler,
                handler);
    }

    /** Everything about one message, resolved or not. */
    public List<QuarantinedMessage> show(UUID messageId) throws SQLException {
        return read("SELECT " + COLUMNS + "WHERE q.message_id = ? ORDER BY q.handler", messageId);
    }

    /**
     * Releases or discards an open one, the oldest where one id was staged more than once: locks its row, writes state
     * and audit, applies the resolution, commits.
     *
     * @param action {@code release} or {@code discard}
     * @return the message as it was; empty: there is no open one of that id and handler
     */
    public Optional<QuarantinedMessage> resolve(
            UUID messageId, String handler, String action, Responsibility who, Resolution resolution) throws Exception {
        try {
            List<QuarantinedMessage> found = read(
                    "SELECT " + COLUMNS
                            + "WHERE q.message_id = ? AND q.handler = ? AND q.state = 'quarantined' ORDER BY q.created_at LIMIT 1 FOR UPDATE OF q",
                    messageId,
                    handler);
            if (found.isEmpty()) {
                connection.rollback();
                return Optional.empty();
            }
            QuarantinedMessage message = found.get(0);
            // Written first, so that a right that is missing shows before anything is published; committed last.
            mark(message, action.equals("release") ? "released" : "discarded");
            audit(message, action, who);
            resolution.apply(message);
            connection.commit();
            return Optional.of(message);
        } catch (Exception e) {
            connection.rollback();
            throw e;
        }
    }

    private void mark(QuarantinedMessage message, String state) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(
                "UPDATE outbox.quarantined SET state = ?, resolved_at = clock_timestamp(), next_attempt = NULL "
                        + "WHERE message_id = ? AND handler = ? AND created_at = ?")) {
            update.setString(1, state);
            update.setObject(2, message.messageId());
            update.setString(3, message.handler());
            update.setObject(4, message.createdAt().atOffset(ZoneOffset.UTC));
            update.executeUpdate();
        }
    }

    private void audit(QuarantinedMessage message, String action, Responsibility who) throws SQLException {
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

    private List<QuarantinedMessage> read(String sql, @Nullable Object... parameters) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                query.setObject(i + 1, parameters[i]);
            }
            try (ResultSet rows = query.executeQuery()) {
                List<QuarantinedMessage> messages = new ArrayList<>();
                while (rows.next()) {
                    messages.add(new QuarantinedMessage(
                            rows.getObject(1, UUID.class),
                            rows.getObject(2, OffsetDateTime.class).toInstant(),
                            rows.getString(3),
                            rows.getString(4),
                            rows.getString(5),
                            rows.getString(6),
                            rows.getString(7),
                            rows.getInt(8),
                            rows.getObject(9, OffsetDateTime.class).toInstant()));
                }
                return messages;
            }
        }
    }
}
