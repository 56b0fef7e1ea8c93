package dev.posthaste.consumer.internal;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import javax.sql.DataSource;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.posthaste.consumer.inbox.Arrival;
import dev.posthaste.consumer.inbox.FailedAttempt;
import dev.posthaste.consumer.inbox.Fate;
import dev.posthaste.consumer.inbox.InboxStore;
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

    /** A message that met nothing but locks comes back this soon at most. */
    private static final Duration CONTENTION_DELAY_MAX = Duration.ofSeconds(5);

    private final String handler;
    private final DataSource dataSource;
    private final InboxStore inbox;
    private final FailurePolicy policy;
    private final OnDeadLetter onDeadLetter;
    private final DeliveryMeters meters;
    private final Arrivals arrivals;

    FailureRecorder(HandlerSetup setup, InboxStore inbox, DeliveryMeters meters) {
        this.handler = setup.handler();
        this.dataSource = setup.dataSource();
        this.inbox = inbox;
        this.policy = setup.failurePolicy();
        this.onDeadLetter = setup.onDeadLetter();
        this.meters = meters;
        this.arrivals = setup.arrivals();
    }

    /** The handler threw, or said that it is not done. */
    ChunkResult.Ending failed(Task<?> task, Verdict.Run run, Throwable cause) {
        FailurePolicy.Decision decision = policy.decide(cause, run);
        String error = cause instanceof NotDoneException
                ? ""
                : ErrorSummary.of(cause, task.record().value());
        return write(task.arrival(), run, decision, error, task.record());
    }

    /** Nothing but locks stood against it: that spends no attempt. */
    ChunkResult.Ending contended(Task<?> task, Verdict.Run run, Throwable cause) {
        Duration delay = Duration.ofMillis(1 + ThreadLocalRandom.current().nextLong(CONTENTION_DELAY_MAX.toMillis()));
        FailedAttempt failed = new FailedAttempt(
                task.arrival(),
                run.attempt(),
                run.forgiven() + 1,
                new Fate.Retry(delay),
                "contention",
                ErrorSummary.of(cause, task.record().value()),
                true,
                Records.stored(task.record()),
                null);
        return write(failed);
    }

    /** Its attempt was begun by a process that has ended since. */
    ChunkResult.Ending unfinished(Arrival arrival, ConsumerRecord<byte[], byte[]> record, Verdict.Run begun) {
        return write(
                arrival,
                begun,
                policy.unfinished(begun, PROCESS_ENDED),
                "the process ended during attempt " + begun.attempt(),
                record);
    }

    /** It is no message for this handler: a dead letter at once, byte for byte. */
    ChunkResult.Ending unreadable(ConsumerRecord<byte[], byte[]> record, UnreadableException e) {
        meters.failed();
        Arrival arrival = arrivals.ofUnreadable(record);
        return deadAtOnce(
                arrival, arrival.attempt(), e.code(), "the record is no message for it: " + e.getMessage(), record);
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
            ConsumerRecord<byte[], byte[]> record) {
        meters.failed();
        String summary =
                decision.why().isEmpty() || error.isEmpty() ? decision.why() + error : decision.why() + ": " + error;
        return write(new FailedAttempt(
                arrival,
                run.attempt(),
                run.forgiven(),
                decision.fate(),
                decision.code(),
                summary,
                decision.fate() instanceof Fate.Retry || onDeadLetter == OnDeadLetter.BLOCK,
                Records.stored(record),
                null));
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
