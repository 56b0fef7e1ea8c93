package dev.posthaste.consumer.internal;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import javax.sql.DataSource;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;

import dev.posthaste.consumer.inbox.Arrival;
import dev.posthaste.consumer.inbox.InboxStore;
import dev.posthaste.consumer.inbox.Verdict;
import dev.posthaste.schemas.MessageHeaders;

/**
 * Runs records of which one may have ended the process that had them before: one by one, and each attempt is written
 * down before it begins, its payload not even read. So a message that takes its process along, in the handler or in the
 * reader, is found by the next process with an attempt that never ended, and reaches the bound. Thread-safe.
 */
final class SuspectRunner {

    private static final byte[] PROCESS_ENDED = FailureRecorder.PROCESS_ENDED.getBytes(StandardCharsets.UTF_8);

    private final Decoder decoder;
    private final Arrivals arrivals;
    private final DataSource dataSource;
    private final InboxStore inbox;
    private final FailureRecorder failures;
    private final DeliveryMeters meters;
    private final Isolation isolation;
    private final Breaker breaker;
    private final Function<Task<?>, ChunkResult.Ending> attempt;

    /**
     * Makes one.
     *
     * @param attempt runs one task
     */
    SuspectRunner(
            HandlerSetup setup,
            InboxStore inbox,
            FailureRecorder failures,
            DeliveryMeters meters,
            Function<Task<?>, ChunkResult.Ending> attempt) {
        this.decoder = setup.decoder();
        this.arrivals = setup.arrivals();
        this.dataSource = setup.dataSource();
        this.inbox = inbox;
        this.failures = failures;
        this.meters = meters;
        this.isolation = setup.worker().isolation();
        this.breaker = setup.breaker();
        this.attempt = attempt;
    }

    /** Whether its last attempt ended with its process: the retry topic's record says so. */
    static boolean hasEndedItsProcess(ConsumerRecord<byte[], byte[]> record) {
        Header code = record.headers().lastHeader(MessageHeaders.ERROR_CODE);
        return code != null && Arrays.equals(code.value(), PROCESS_ENDED);
    }

    /** Runs records that follow each other; at least one, and no markers. */
    ChunkResult run(List<ConsumerRecord<byte[], byte[]>> records) {
        int begun = 0;
        try {
            if (records.size() > 1 && areAllFinished(records)) {
                meters.committed(0, records.size());
                return new ChunkResult(records.size(), new ChunkResult.Done());
            }
            for (int i = 0; i < records.size(); i++) {
                if (breaker.isOpen()) {
                    return new ChunkResult(i, begun, new ChunkResult.Paused());
                }
                ConsumerRecord<byte[], byte[]> record = records.get(i);
                Arrival arrival = arrivals.ofUnreadable(record);
                Step step = isolation.run(hasEndedItsProcess(record), () -> step(record, arrival));
                if (!(step.ending instanceof ChunkResult.Done)) {
                    return new ChunkResult(i, begun, step.ending);
                }
                begun += step.begun ? 1 : 0;
            }
            return new ChunkResult(records.size(), begun, new ChunkResult.Done());
        } catch (SQLException | RuntimeException e) {
            return new ChunkResult(
                    0,
                    ChunkResult.away(arrivals.ofUnreadable(records.get(0)).id().messageId(), e));
        }
    }

    private record Step(boolean begun, ChunkResult.Ending ending) {}

    private Step step(ConsumerRecord<byte[], byte[]> record, Arrival arrival) {
        Verdict verdict;
        try {
            verdict = begin(arrival);
        } catch (SQLException | RuntimeException e) {
            return new Step(true, ChunkResult.away(arrival.id().messageId(), e));
        }
        if (verdict instanceof Verdict.Skip) {
            meters.committed(0, 1);
            return new Step(false, new ChunkResult.Done());
        }
        if (verdict instanceof Verdict.Unfinished unfinished) {
            return new Step(true, failures.unfinished(arrival, record, unfinished.begun()));
        }
        try {
            return new Step(true, attempt.apply(decoder.decode(record))); // the claim finds out what else there is
        } catch (UnreadableException e) {
            return new Step(true, failures.unreadable(record, e));
        }
    }

    private Verdict begin(Arrival arrival) throws SQLException {
        return inTransaction(connection -> inbox.begin(connection, arrival), verdict -> true);
    }

    /** Offsets may have been committed long ago: what comes again since then is passed as fast as otherwise. */
    private boolean areAllFinished(List<ConsumerRecord<byte[], byte[]>> records) throws SQLException {
        List<Arrival> all = records.stream().map(arrivals::ofUnreadable).toList();
        try {
            return inTransaction(
                    connection -> inbox.claim(connection, all).verdicts().stream()
                            .allMatch(verdict -> verdict instanceof Verdict.Skip),
                    finished -> finished);
        } catch (SQLException e) {
            if (SqlErrors.isRefusal(e)) {
                return false; // of one of them: which, is found one by one
            }
            throw e;
        }
    }

    @FunctionalInterface
    private interface Look<T> {
        T at(Connection connection) throws SQLException;
    }

    /** Commits if the result is to stay, else rolls back. */
    private <T> T inTransaction(Look<T> look, Predicate<T> stays) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            boolean autoCommit = connection.getAutoCommit();
            connection.setAutoCommit(false);
            try {
                inbox.limitLocks(connection);
                T result = look.at(connection);
                if (stays.test(result)) {
                    connection.commit();
                } else {
                    connection.rollback();
                }
                connection.setAutoCommit(autoCommit);
                return result;
            } catch (SQLException e) {
                SqlErrors.rollback(connection, e);
                throw e;
            }
        }
    }
}
