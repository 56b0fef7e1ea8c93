package dev.posthaste.consumer.internal;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import javax.sql.DataSource;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.posthaste.consumer.inbox.Arrival;
import dev.posthaste.consumer.inbox.ClaimLease;
import dev.posthaste.consumer.inbox.DeliveryId;
import dev.posthaste.consumer.inbox.FailedAttempt;
import dev.posthaste.consumer.inbox.Fate;
import dev.posthaste.consumer.inbox.InboxStore;
import dev.posthaste.consumer.inbox.StoredRecord;
import dev.posthaste.consumer.inbox.Verdict;
import dev.posthaste.schemas.catalog.OnDeadLetter;

/**
 * Writes failed attempts down, each in a transaction of its own: from then on the record is finished for its partition,
 * and kept for the retry or the dead letter. Thread-safe.
 */
final class FailureRecorder {

    /** The code of an attempt that took its process along. */
    static final String PROCESS_ENDED = "process-ended";

    private static final Logger LOG = LoggerFactory.getLogger(FailureRecorder.class);

    /** A message that met nothing but locks, or an outage, comes back this soon at most. */
    private static final Duration FORGIVEN_DELAY_MAX = Duration.ofSeconds(5);

    /** So long a message waits whose business key another has in work. */
    static final Duration KEY_IN_USE_DELAY = Duration.ofSeconds(5);

    private final String handler;
    private final DataSource dataSource;
    private final InboxStore inbox;
    private final FailurePolicy policy;
    private final OnDeadLetter onDeadLetter;
    private final DeliveryMeters meters;
    private final Arrivals arrivals;
    private final Breaker breaker;

    FailureRecorder(HandlerSetup setup, InboxStore inbox, DeliveryMeters meters) {
        this.handler = setup.handler();
        this.dataSource = setup.dataSource();
        this.inbox = inbox;
        this.policy = setup.failurePolicy();
        this.onDeadLetter = setup.onDeadLetter();
        this.meters = meters;
        this.arrivals = setup.arrivals();
        this.breaker = setup.breaker();
    }

    /**
     * The handler threw, or said that it is not done.
     *
     * @param trace the attempt's span, to which the next one is linked; null for none
     */
    ChunkResult.Ending failed(Task<?> task, Verdict.Run run, Throwable cause, @Nullable String trace) {
        FailurePolicy.Decision decision = policy.decide(cause, run);
        return count(
                task,
                decision,
                write(task.arrival(), run, decision, error(task, cause), Records.stored(task.record(), trace), null));
    }

    /** The same of a probe. */
    ChunkResult.Ending failedProbe(Task<?> task, Verdict.Run run, Throwable cause, @Nullable String trace) {
        return switch (probed(task, run, cause)) {
            case COUNTS -> failed(task, run, cause, trace);
            case SET_ASIDE -> outage(task, run, cause, null);
            case STAYS -> new ChunkResult.Paused();
        };
    }

    /** The same of a leased call; refused if its lease has ended. While the handler pauses it was a probe. */
    ChunkResult.Ending failedCall(Task<?> task, Verdict.Run run, Throwable cause, ClaimLease lease) {
        if (probed(task, run, cause) != Breaker.Probed.COUNTS) {
            return outage(task, run, cause, lease); // the call was made, so it never stays
        }
        FailurePolicy.Decision decision = policy.decide(cause, run);
        return count(
                task,
                decision,
                write(task.arrival(), run, decision, error(task, cause), Records.stored(task.record()), lease));
    }

    private ChunkResult.Ending count(Task<?> task, FailurePolicy.Decision decision, ChunkResult.Ending ending) {
        if (!decision.ofTheMessage()) {
            breaker.failed(task.event().id(), decision.code());
        }
        return ending;
    }

    private static String error(Task<?> task, Throwable cause) {
        return cause instanceof NotDoneException
                ? ""
                : ErrorSummary.of(cause, task.record().value());
    }

    private Breaker.Probed probed(Task<?> task, Verdict.Run run, Throwable cause) {
        if (policy.decide(cause, run).ofTheMessage()) {
            return Breaker.Probed.COUNTS;
        }
        Breaker.Probed probed = breaker.probeFailed(task.event().id());
        if (probed != Breaker.Probed.COUNTS) {
            meters.probeFailed();
        }
        return probed;
    }

    private ChunkResult.Ending outage(Task<?> task, Verdict.Run run, Throwable cause, @Nullable ClaimLease lease) {
        return forgiven(task, run, shortDelay(), "outage", error(task, cause), lease);
    }

    /** Nothing but locks stood against it: that spends no attempt. */
    ChunkResult.Ending contended(Task<?> task, Verdict.Run run, Throwable cause) {
        return forgiven(task, run, shortDelay(), "contention", error(task, cause), null);
    }

    private static Duration shortDelay() {
        return Duration.ofMillis(1 + ThreadLocalRandom.current().nextLong(FORGIVEN_DELAY_MAX.toMillis()));
    }

    /** Another message with its business key is being called, or waits for that: it waits as well, at no attempt. */
    ChunkResult.Ending keyInUse(Task<?> task, Verdict.Run run, DeliveryId by, ClaimLease lease) {
        return forgiven(
                task,
                run,
                KEY_IN_USE_DELAY,
                "key-in-use",
                "its idempotency key is in use by message " + by.messageId(),
                lease);
    }

    /** It comes again, and this time counts towards no bound. */
    private ChunkResult.Ending forgiven(
            Task<?> task, Verdict.Run run, Duration delay, String code, String summary, @Nullable ClaimLease lease) {
        return write(new FailedAttempt(
                task.arrival(),
                run.attempt(),
                run.forgiven() + 1,
                new Fate.Retry(delay),
                code,
                summary,
                true,
                Records.stored(task.record()),
                lease));
    }

    /** Its attempt was begun by a process that has ended since. */
    ChunkResult.Ending unfinished(Arrival arrival, ConsumerRecord<byte[], byte[]> record, Verdict.Run begun) {
        return write(
                arrival,
                begun,
                policy.unfinished(begun, PROCESS_ENDED),
                "the process ended during attempt " + begun.attempt(),
                Records.stored(record),
                null);
    }

    /** A leased attempt has not ended in time; the claim given is ours by now. */
    ChunkResult.Ending leaseExpired(Task<?> task, Verdict.Run begun, ClaimLease lease, String why) {
        return write(
                task.arrival(),
                begun,
                policy.unfinished(begun, "lease-expired"),
                why,
                Records.stored(task.record()),
                lease);
    }

    /** It is no message for this handler: a dead letter at once, byte for byte. */
    ChunkResult.Ending unreadable(ConsumerRecord<byte[], byte[]> record, UnreadableException e) {
        meters.failed();
        Arrival arrival = arrivals.ofUnreadable(record);
        return deadAtOnce(arrival, arrival.attempt(), e.code(), "it cannot take the record: " + e.getMessage(), record);
    }

    /** The relay has set the message aside for this handler: a dead letter of its key. */
    ChunkResult.Ending quarantined(ConsumerRecord<byte[], byte[]> marker) {
        return deadAtOnce(
                arrivals.ofUnreadable(marker),
                0,
                "quarantined",
                "quarantined by the relay; release or discard it there",
                marker);
    }

    private ChunkResult.Ending deadAtOnce(
            Arrival arrival, int attempt, String code, String summary, ConsumerRecord<byte[], byte[]> record) {
        return write(new FailedAttempt(
                arrival,
                attempt,
                0,
                new Fate.DeadLetter(code),
                code,
                summary,
                onDeadLetter == OnDeadLetter.BLOCK,
                Records.stored(record),
                null));
    }

    private ChunkResult.Ending write(
            Arrival arrival,
            Verdict.Run run,
            FailurePolicy.Decision decision,
            String error,
            StoredRecord record,
            @Nullable ClaimLease lease) {
        String summary =
                decision.why().isEmpty() || error.isEmpty() ? decision.why() + error : decision.why() + ": " + error;
        ChunkResult.Ending ending = write(new FailedAttempt(
                arrival,
                run.attempt(),
                run.forgiven(),
                decision.fate(),
                decision.code(),
                summary,
                decision.fate() instanceof Fate.Retry || onDeadLetter == OnDeadLetter.BLOCK,
                record,
                lease));
        if (ending instanceof ChunkResult.Done) {
            meters.failed();
        }
        return ending;
    }

    private ChunkResult.Ending write(FailedAttempt failed) {
        try (Connection connection = dataSource.getConnection()) {
            boolean autoCommit = connection.getAutoCommit();
            connection.setAutoCommit(false);
            try {
                inbox.limitLocks(connection);
                boolean written = inbox.fail(connection, failed);
                connection.commit();
                if (written) {
                    tell(failed);
                } else if (failed.lease() != null) {
                    meters.stale();
                    LOG.warn(
                            "handler {}: the failure of message {} under fence {} is refused, another has taken it over",
                            handler,
                            failed.arrival().id().messageId(),
                            failed.lease().fence());
                }
            } catch (SQLException e) {
                SqlErrors.rollback(connection, e);
                throw e;
            }
            connection.setAutoCommit(autoCommit);
            return new ChunkResult.Done();
        } catch (SQLException | RuntimeException e) {
            return ChunkResult.away(failed.arrival().id().messageId(), e);
        }
    }

    private void tell(FailedAttempt failed) {
        if (failed.fate() instanceof Fate.DeadLetter) {
            meters.deadLetter();
            LOG.error(
                    "handler {}: message {} is a dead letter ({}) after {} attempts: {}",
                    handler,
                    failed.arrival().id().messageId(),
                    failed.code(),
                    failed.attempt(),
                    failed.summary());
        } else {
            LOG.info(
                    "handler {}: attempt {} at message {} failed ({}) and is repeated",
                    handler,
                    failed.attempt(),
                    failed.arrival().id().messageId(),
                    failed.code());
        }
    }
}
