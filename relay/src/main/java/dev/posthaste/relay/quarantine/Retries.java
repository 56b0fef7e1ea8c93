package dev.posthaste.relay.quarantine;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

import dev.posthaste.relay.lease.FencedException;
import dev.posthaste.relay.lease.LeasedSession;
import dev.posthaste.relay.publishing.RefusedException;
import dev.posthaste.relay.routing.RoutedMessage;
import dev.posthaste.relay.routing.Router;
import dev.posthaste.relay.routing.Unpublishable;

/**
 * The leader's own releases of what may have passed by itself: claimed in a short transaction under the lease, which
 * counts the attempt, published with no transaction open in the database, and audited under the lease again. Confined
 * to the thread of the source, whose publisher it uses: a leader that lost its lease can neither claim, nor publish,
 * nor settle.
 */
public final class Retries {

    /** At most so many at a time: the stream waits meanwhile. */
    private static final int CLAIM_MAX = 100;

    /** After it, a claim whose leader died is due again, and an operator may resolve it. */
    private static final Duration CLAIM_LENGTH = Duration.ofMinutes(1);

    private final LeasedSession session;
    private final ReleaseRoute route;
    private final Publishing publishing;
    private final long bytesMax;
    private final Outcomes outcomes;
    private final RetrySchedule schedule;

    /** Publishes released messages, all or nothing. */
    @FunctionalInterface
    public interface Publishing {

        /** As {@link dev.posthaste.relay.publishing.KafkaPublisher#publishReleased}. */
        void publish(List<RoutedMessage> messages) throws RefusedException, FencedException, InterruptedException;
    }

    /** Told what became of each attempt. */
    public interface Outcomes {

        /** It is published. */
        void released(QuarantinedMessage message);

        /** It failed again; {@code last}: it is not tried any more. */
        void failed(QuarantinedMessage message, String error, boolean last);
    }

    /**
     * Retries under that session's lease.
     *
     * @param bytesMax about how many bytes may be in memory and in one Kafka transaction
     */
    public Retries(LeasedSession session, Router router, Publishing publishing, long bytesMax, Outcomes outcomes) {
        this.session = session;
        this.route = new ReleaseRoute(router);
        this.publishing = publishing;
        this.bytesMax = bytesMax;
        this.outcomes = outcomes;
        this.schedule = RetrySchedule.DEFAULT;
    }

    /**
     * Tries what is due, at most a hundred messages.
     *
     * @throws FencedException if another leads: nothing was published or settled
     */
    public void runWhatIsDue() throws SQLException, FencedException, InterruptedException {
        if (!isAnythingDue()) {
            return;
        }
        List<Attempt> batch = new ArrayList<>();
        long bytes = 0;
        for (QuarantinedMessage message : session.write(Retries::claim)) {
            RoutedMessage routed = route(message);
            if (routed != null) {
                batch.add(new Attempt(message, routed));
                bytes += routed.sizeBytes();
            }
            if (bytes >= bytesMax) {
                release(batch);
                batch.clear();
                bytes = 0;
            }
        }
        release(batch);
    }

    private record Attempt(QuarantinedMessage message, RoutedMessage routed) {}

    private boolean isAnythingDue() throws SQLException {
        return session.read(connection -> {
            try (PreparedStatement query = connection.prepareStatement(
                            "SELECT FROM outbox.quarantined WHERE next_attempt <= clock_timestamp() LIMIT 1");
                    ResultSet rows = query.executeQuery()) {
                return rows.next();
            }
        });
    }

    /** Oldest first, and only what has its evidence; what an operator has in hand is left to them. */
    private static List<QuarantinedMessage> claim(Connection connection) throws SQLException {
        List<QuarantinedMessage> claimed = new ArrayList<>(Rows.query(
                connection,
                "WITH claimed AS (UPDATE outbox.quarantined c SET attempt = c.attempt + 1, "
                        + "trying_until = clock_timestamp() + ? * interval '1 millisecond', "
                        + "next_attempt = clock_timestamp() + ? * interval '1 millisecond' "
                        + "FROM (SELECT q.message_id, q.created_at, q.handler FROM outbox.quarantined q "
                        + "WHERE q.next_attempt <= clock_timestamp() AND " + Rows.PROVED
                        + "ORDER BY q.next_attempt LIMIT " + CLAIM_MAX + " FOR UPDATE OF q SKIP LOCKED) due "
                        + "WHERE (c.message_id, c.created_at, c.handler) = (due.message_id, due.created_at, due.handler) RETURNING c.*) "
                        + "SELECT " + Rows.COLUMNS
                        + "FROM claimed q LEFT JOIN outbox.message m ON m.id = q.message_id AND m.created_at = q.created_at",
                CLAIM_LENGTH.toMillis(),
                CLAIM_LENGTH.toMillis()));
        claimed.sort(Comparator.comparing(QuarantinedMessage::quarantinedAt));
        return claimed;
    }

    /** Null: its fault is still there, which is recorded. */
    private @Nullable RoutedMessage route(QuarantinedMessage message) throws SQLException, FencedException {
        AtomicReference<@Nullable StillUnpublishableException> fault = new AtomicReference<>();
        Optional<RoutedMessage> routed = session.read(connection -> {
            try {
                return Optional.of(route.of(message, connection));
            } catch (StillUnpublishableException e) {
                fault.set(e);
                return Optional.empty();
            }
        });
        StillUnpublishableException still = fault.get();
        if (still != null) {
            failed(message, still.fault(), still.error());
        }
        return routed.orElse(null);
    }

    /** Each round takes at least one message out, so there are no more rounds than messages. */
    private void release(List<Attempt> batch) throws SQLException, FencedException, InterruptedException {
        while (!batch.isEmpty()) {
            try {
                publishing.publish(batch.stream().map(Attempt::routed).toList());
                settle(batch);
                return;
            } catch (RefusedException e) {
                int before = batch.size();
                takeOut(batch, e.refused());
                if (batch.size() == before) {
                    throw new IllegalStateException("Kafka refused what was not sent: " + e.refused(), e);
                }
            }
        }
    }

    private void takeOut(List<Attempt> batch, RefusedException.Refused refused) throws SQLException, FencedException {
        for (Attempt attempt : List.copyOf(batch)) {
            if (attempt.routed().row().id().equals(refused.messageId())
                    && attempt.routed().topics().contains(refused.topic())) {
                batch.remove(attempt);
                failed(attempt.message(), Optional.of(refused.cause()), refused.error());
            }
        }
    }

    private void settle(List<Attempt> released) throws SQLException, FencedException {
        int unused = session.write(connection -> {
            for (Attempt attempt : released) {
                QuarantinedMessage message = attempt.message();
                if (Rows.resolve(connection, message, "released")) {
                    Rows.audit(
                            connection,
                            message,
                            "release",
                            new QuarantineDesk.Responsibility(
                                    QuarantineDesk.RELAY,
                                    "attempt " + message.attempt() + ": the cause has passed by itself"));
                }
            }
            return 0;
        });
        released.forEach(attempt -> outcomes.released(attempt.message()));
    }

    private void failed(QuarantinedMessage message, Optional<Unpublishable.Cause> cause, String error)
            throws SQLException, FencedException {
        Optional<Duration> pause = cause.filter(Unpublishable.Cause::mayPass)
                .flatMap(passing -> schedule.after(message.attempt(), QuarantineStore.random()));
        int unused = session.write(connection -> {
            try (PreparedStatement update = connection.prepareStatement(
                    "UPDATE outbox.quarantined SET next_attempt = clock_timestamp() + ? * interval '1 millisecond', "
                            + "trying_until = NULL, cause = ?, last_error = ? "
                            + "WHERE message_id = ? AND created_at = ? AND handler = ? AND state = 'quarantined'")) {
                QuarantineStore.setPause(update, 1, pause);
                update.setString(2, cause.map(Enum::name).orElse(message.cause()));
                update.setString(3, QuarantineStore.bounded(error));
                update.setObject(4, message.messageId());
                update.setObject(5, Rows.utc(message.createdAt()));
                update.setString(6, message.handler());
                return update.executeUpdate();
            }
        });
        outcomes.failed(message, error, pause.isEmpty());
    }
}
