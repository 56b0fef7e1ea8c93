package dev.posthaste.relay.quarantine;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

import dev.posthaste.relay.lease.FencedException;
import dev.posthaste.relay.lease.LeasedSession;
import dev.posthaste.relay.routing.Unpublishable;

/** Sets messages aside, under the lease. Not thread-safe. */
public final class QuarantineStore {

    private static final int ERROR_CHARACTERS_MAX = 2000;

    private final LeasedSession session;
    private final RetrySchedule schedule;

    /** Writes through that session; what may pass by itself is tried again by {@link RetrySchedule#DEFAULT}. */
    public QuarantineStore(LeasedSession session) {
        this.session = session;
        this.schedule = RetrySchedule.DEFAULT;
    }

    /**
     * A message and a handler it is set aside for.
     *
     * @param createdAt the message's: one id staged twice is two messages
     * @param handler as in {@link Unpublishable#handler()}
     */
    public record Entry(UUID messageId, Instant createdAt, String handler) {}

    /**
     * Sets a message aside for a handler, and commits. Once more for one set aside already: counts another attempt. One
     * that was resolved stays so.
     *
     * @param createdAt the message's
     * @throws FencedException if the lease is another's: nothing was written
     */
    public void record(Unpublishable fault, Instant createdAt) throws SQLException, FencedException {
        int unused = session.write(connection -> insert(connection, fault, createdAt));
    }

    private int insert(Connection connection, Unpublishable fault, Instant createdAt) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO outbox.quarantined AS known (message_id, created_at, handler, cause, last_error, fence, next_attempt) "
                        + "VALUES (?, ?, ?, ?, ?, ?, clock_timestamp() + ? * interval '1 millisecond') "
                        + "ON CONFLICT (message_id, created_at, handler) DO UPDATE SET attempt = known.attempt + 1, cause = excluded.cause, "
                        + "last_error = excluded.last_error, fence = excluded.fence, next_attempt = excluded.next_attempt "
                        + "WHERE known.state = 'quarantined'")) {
            insert.setObject(1, fault.messageId());
            insert.setObject(2, Rows.utc(createdAt));
            insert.setString(3, fault.handler());
            insert.setString(4, fault.cause().name());
            insert.setString(5, bounded(fault.error()));
            insert.setLong(6, session.lease().fence());
            setPause(insert, 7, fault.cause().mayPass() ? schedule.after(1, random()) : Optional.empty());
            return insert.executeUpdate();
        }
    }

    static double random() {
        return ThreadLocalRandom.current().nextDouble();
    }

    /** A pause in milliseconds; empty: NULL, and so no further attempt. */
    static void setPause(PreparedStatement statement, int index, Optional<Duration> pause) throws SQLException {
        if (pause.isPresent()) {
            statement.setLong(index, pause.get().toMillis());
        } else {
            statement.setNull(index, Types.BIGINT);
        }
    }

    static String bounded(String error) {
        return error.length() <= ERROR_CHARACTERS_MAX ? error : error.substring(0, ERROR_CHARACTERS_MAX);
    }

    /**
     * What was set aside by a leader that died before its batch was proved: it stays set aside, whatever the catalog or
     * the topics would say by now. At most the messages of one batch.
     */
    public Set<Entry> unproved() throws SQLException {
        return session.read(connection -> {
            try (PreparedStatement query = connection.prepareStatement(
                            "SELECT q.message_id, q.created_at, q.handler FROM outbox.quarantined q WHERE q.state = 'quarantined' "
                                    + "AND NOT " + Rows.PROVED);
                    ResultSet rows = query.executeQuery()) {
                Set<Entry> entries = new HashSet<>();
                while (rows.next()) {
                    entries.add(new Entry(
                            rows.getObject(1, UUID.class),
                            rows.getObject(2, OffsetDateTime.class).toInstant(),
                            rows.getString(3)));
                }
                return entries;
            }
        });
    }
}
