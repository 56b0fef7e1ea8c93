package dev.posthaste.relay.quarantine;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
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

    /** The name under which the relay audits what it releases by itself; the database lets nobody else use it. */
    public static final String RELAY = "posthaste-relay";

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
     * Which to list.
     *
     * @param handler null: of all handlers
     * @param cause as in {@link dev.posthaste.relay.routing.Unpublishable.Cause}; null: any
     * @param state as in the table; null: open ones, that is, quarantined
     * @param since set aside then or later; null: ever
     * @param until set aside before; null: ever
     * @param limit most to read
     */
    public record Filter(
            @Nullable String handler,
            @Nullable String cause,
            @Nullable String state,
            @Nullable Instant since,
            @Nullable Instant until,
            int limit) {

        /** The open ones of all handlers. */
        public static Filter open(int limit) {
            return new Filter(null, null, null, null, null, limit);
        }
    }

    /** Those the filter lets through, oldest first. */
    public List<QuarantinedMessage> list(Filter filter) throws SQLException {
        return Rows.query(
                connection,
                "SELECT " + Rows.COLUMNS + Rows.FROM
                        + "WHERE q.state = ? AND (?::text IS NULL OR q.handler = ?) AND (?::text IS NULL OR q.cause = ?) "
                        + "AND q.quarantined_at >= coalesce(?::timestamptz, '-infinity') "
                        + "AND q.quarantined_at < coalesce(?::timestamptz, 'infinity') "
                        + "ORDER BY q.quarantined_at LIMIT " + filter.limit(),
                filter.state() == null ? "quarantined" : filter.state(),
                filter.handler(),
                filter.handler(),
                filter.cause(),
                filter.cause(),
                filter.since() == null ? null : Rows.utc(filter.since()),
                filter.until() == null ? null : Rows.utc(filter.until()));
    }

    /** Whether anything was ever set aside for that handler. */
    public boolean knows(String handler) throws SQLException {
        return !Rows.query(connection, "SELECT " + Rows.COLUMNS + Rows.FROM + "WHERE q.handler = ? LIMIT 1", handler)
                .isEmpty();
    }

    /** Everything about one message, resolved or not. */
    public List<QuarantinedMessage> show(UUID messageId) throws SQLException {
        return Rows.query(
                connection,
                "SELECT " + Rows.COLUMNS + Rows.FROM + "WHERE q.message_id = ? ORDER BY q.created_at, q.handler",
                messageId);
    }

    /**
     * What was done about a message.
     *
     * @param action {@code release} or {@code discard}
     * @param failure what it answered
     */
    public record AuditEntry(Instant at, String actor, String action, String reason, String handler, String failure) {}

    /** What was done about a message, oldest first. */
    public List<AuditEntry> audit(UUID messageId) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(
                "SELECT at, actor, action, reason, handler, failure FROM outbox.audit WHERE message_id = ? ORDER BY id")) {
            query.setObject(1, messageId);
            try (ResultSet rows = query.executeQuery()) {
                List<AuditEntry> entries = new ArrayList<>();
                while (rows.next()) {
                    entries.add(new AuditEntry(
                            rows.getObject(1, OffsetDateTime.class).toInstant(),
                            rows.getString(2),
                            rows.getString(3),
                            rows.getString(4),
                            rows.getString(5),
                            rows.getString(6)));
                }
                return entries;
            }
        }
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
            List<QuarantinedMessage> found = Rows.query(
                    connection,
                    "SELECT " + Rows.COLUMNS + Rows.FROM
                            + "WHERE q.message_id = ? AND q.handler = ? AND q.state = 'quarantined' ORDER BY q.created_at LIMIT 1 FOR UPDATE OF q",
                    messageId,
                    handler);
            if (found.isEmpty()) {
                connection.rollback();
                return Optional.empty();
            }
            QuarantinedMessage message = found.get(0);
            // Written first, so that a right that is missing shows before anything is published; committed last.
            requireAtRest(message);
            boolean unused = Rows.resolve(connection, message, action.equals("release") ? "released" : "discarded");
            Rows.audit(connection, message, action, who);
            resolution.apply(message);
            connection.commit();
            return Optional.of(message);
        } catch (Exception e) {
            connection.rollback();
            throw e;
        }
    }

    /** The next leader, or this one, might publish it at the same moment. */
    private void requireAtRest(QuarantinedMessage message) throws SQLException, NotAtRestException {
        try (PreparedStatement query = connection.prepareStatement("SELECT " + Rows.PROVED
                + ", coalesce(q.trying_until > clock_timestamp(), false) FROM outbox.quarantined q "
                + "WHERE q.message_id = ? AND q.created_at = ? AND q.handler = ?")) {
            query.setObject(1, message.messageId());
            query.setObject(2, Rows.utc(message.createdAt()));
            query.setString(3, message.handler());
            try (ResultSet row = query.executeQuery()) {
                row.next();
                if (row.getBoolean(2)) {
                    throw new NotAtRestException(message, "the relay tries it at this moment; look again in a minute");
                }
                if (!row.getBoolean(1)) {
                    throw new NotAtRestException(
                            message, "its batch is not settled yet; once a relay streams it will be, then do it again");
                }
            }
        }
    }
}
