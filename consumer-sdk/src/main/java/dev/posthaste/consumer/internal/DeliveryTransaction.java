package dev.posthaste.consumer.internal;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.posthaste.consumer.Event;
import dev.posthaste.consumer.Outcome;
import dev.posthaste.consumer.inbox.BusinessKey;
import dev.posthaste.consumer.inbox.InboxStore;
import dev.posthaste.consumer.inbox.KeyVerdict;
import dev.posthaste.consumer.inbox.TransactionEndedException;
import dev.posthaste.consumer.inbox.Verdict;

/**
 * Claim, effect and completion in one database transaction: the completed rows are there if and only if the effects
 * are. Thread-safe.
 */
final class DeliveryTransaction {

    private static final Logger LOG = LoggerFactory.getLogger(DeliveryTransaction.class);

    private final DataSource dataSource;
    private final InboxStore inbox;
    private final int contentionRetriesMax;
    private final int waitingMax;
    private final DeliveryMeters meters;
    private final Running running;
    private final BooleanSupplier abandoned;
    private final Tracing tracing = Tracing.here();

    /**
     * Makes one.
     *
     * @param waitingMax most messages that may wait for one key
     * @param running where it says what its function has in hand
     * @param abandoned whether the time of a drain is over: then nothing new is begun, and what fails fails for that
     */
    DeliveryTransaction(
            DataSource dataSource,
            InboxStore inbox,
            int contentionRetriesMax,
            int waitingMax,
            DeliveryMeters meters,
            Running running,
            BooleanSupplier abandoned) {
        this.dataSource = dataSource;
        this.inbox = inbox;
        this.contentionRetriesMax = contentionRetriesMax;
        this.waitingMax = waitingMax;
        this.meters = meters;
        this.running = running;
        this.abandoned = abandoned;
    }

    /** How it ended. */
    sealed interface Attempt {}

    /**
     * Committed: each is completed, was before, or is kept behind another.
     *
     * @param granted how many of them ran
     */
    record Committed(int granted) implements Attempt {}

    /** Nothing was committed, or it is not known: the database is away. */
    record StoreAway(Throwable cause) implements Attempt {}

    /** Nothing was committed: the handler was interrupted at the end of a drain. */
    record Abandoned() implements Attempt {}

    /**
     * Nothing was committed; with several tasks the one named need not be the guilty one.
     *
     * @param run as what it ran
     * @param trace its span; null for none
     */
    record HandlerFailed(
            Task<?> task,
            Verdict.Run run,
            Throwable cause,
            @Nullable String trace) implements Attempt {}

    /**
     * The connection was lost while the handler or the commit had it, though the database gives another: nothing was
     * committed, or the next claim finds it completed. With several tasks the one named need not be the guilty one.
     *
     * @param as how it failed
     */
    record ConnectionLost(HandlerFailed as) implements Attempt {}

    /** Nothing was committed: a deadlock, a serialization failure or a lock time-out, again and again. */
    record Contended(Task<?> task, Verdict.Run run, Throwable cause) implements Attempt {}

    /** Nothing was committed: an attempt at it was begun elsewhere and has never ended. */
    record Unfinished(Task<?> task, Verdict.Run begun) implements Attempt {}

    /** Nothing was committed: another worker has it in hand. */
    record Busy(Task<?> task, Verdict.Busy by) implements Attempt {}

    /** Nothing was committed: as many messages wait for its key as may. */
    record Full(Task<?> task) implements Attempt {}

    /** Runs tasks in order, those that the inbox grants; contention is tried again here, to a bound. */
    Attempt run(List<Task<?>> tasks) {
        Attempt attempt = runOnce(tasks);
        for (int i = 0; i < contentionRetriesMax && isContended(attempt); i++) {
            meters.contended();
            attempt = runOnce(tasks);
        }
        return attempt;
    }

    private static boolean isContended(Attempt attempt) {
        return attempt instanceof Contended
                || attempt instanceof StoreAway away && SqlErrors.isContention(away.cause());
    }

    private Attempt runOnce(List<Task<?>> tasks) {
        if (abandoned.getAsBoolean()) {
            return new Abandoned();
        }
        Attempt attempt = runOnConnection(tasks);
        return attempt instanceof ConnectionLost lost && !SqlErrors.isThere(dataSource)
                ? new StoreAway(lost.as().cause())
                : attempt;
    }

    private Attempt runOnConnection(List<Task<?>> tasks) {
        try (Connection connection = dataSource.getConnection()) {
            boolean autoCommit = connection.getAutoCommit();
            connection.setAutoCommit(false);
            Attempt attempt = runOn(connection, tasks);
            if (!(attempt instanceof StoreAway || attempt instanceof ConnectionLost)) {
                connection.setAutoCommit(autoCommit);
            }
            return attempt;
        } catch (SQLException | RuntimeException e) {
            return new StoreAway(e);
        }
    }

    private Attempt runOn(Connection connection, List<Task<?>> tasks) {
        InboxStore.Claim claim;
        try {
            inbox.limitLocks(connection);
            claim = inbox.claim(connection, tasks.stream().map(Task::arrival).toList());
            Attempt obstacle = obstacle(connection, tasks, claim.verdicts());
            if (obstacle != null) {
                connection.rollback();
                return obstacle;
            }
        } catch (SQLException e) {
            // Not the message's fault: the connection, the table, or another member that holds the same messages.
            SqlErrors.rollback(connection, e);
            return new StoreAway(e);
        }
        Run run = new Run(connection, tasks, claim);
        Throwable failure = run.handleAndCommit();
        if (failure == null) {
            int kept = run.kept();
            meters.committed(run.granted(), tasks.size() - run.granted() - kept);
            meters.waiting(kept);
            letGo(connection, claim);
            return new Committed(run.granted());
        }
        boolean connected = SqlErrors.rollback(connection, failure);
        if (connected && run.granted() > 0) {
            TransactionEndedException ended = ended(connection, claim, failure);
            if (ended != null) {
                return new HandlerFailed(run.current(), run.currentRun(), ended, run.trace);
            }
        }
        if (abandoned.getAsBoolean()) {
            return new Abandoned();
        }
        if (run.granted() == 0) {
            return new StoreAway(failure);
        }
        HandlerFailed failed = new HandlerFailed(run.current(), run.currentRun(), failure, run.trace);
        if (!connected) {
            return new ConnectionLost(failed);
        }
        return SqlErrors.isContention(failure) ? new Contended(failed.task(), failed.run(), failure) : failed;
    }

    /**
     * Null if nothing of the claim has stayed. Else its messages would count as completed, and nobody would hear of it.
     */
    private @Nullable TransactionEndedException ended(
            Connection connection, InboxStore.Claim claim, Throwable failure) {
        if (failure instanceof TransactionEndedException ended) {
            return ended;
        }
        try {
            inbox.requireRolledBack(connection, claim);
            connection.rollback();
            return null;
        } catch (TransactionEndedException e) {
            e.addSuppressed(failure);
            SqlErrors.rollback(connection, e);
            return e;
        } catch (SQLException e) {
            failure.addSuppressed(e); // the connection; what is written down next finds out as well
            return null;
        }
    }

    /**
     * Lets go whoever waits behind what is completed. Only after the commit: of two transactions, one that keeps a
     * message behind another and one that completes that other, neither sees the other's work before it ends, and so
     * nobody would let the first one's message go. The one that commits last sees both. If this fails, the poller does
     * it.
     */
    private void letGo(Connection connection, InboxStore.Claim claim) {
        if (claim.keys().isEmpty()) {
            return;
        }
        try {
            inbox.letGo(connection, claim.keys());
            connection.commit();
        } catch (SQLException e) {
            SqlErrors.rollback(connection, e);
            LOG.debug("messages behind those completed are let go by the poller", e);
        }
    }

    /** What stands against running them; null for nothing. Keeps those that have to wait. */
    private @Nullable Attempt obstacle(Connection connection, List<Task<?>> tasks, List<Verdict> verdicts)
            throws SQLException {
        for (int i = 0; i < tasks.size(); i++) {
            Task<?> task = tasks.get(i);
            Verdict verdict = verdicts.get(i);
            if (verdict instanceof Verdict.Unfinished unfinished) {
                return new Unfinished(task, unfinished.begun());
            }
            if (verdict instanceof Verdict.Busy busy) {
                return new Busy(task, busy);
            }
            if (verdict instanceof Verdict.Wait
                    && !inbox.keepBehind(connection, task.arrival(), Records.stored(task.record()), waitingMax)) {
                return new Full(task);
            }
        }
        return null;
    }

    /** The granted ones of a claim, run one after the other, those with a batch handler together. */
    private final class Run {

        private final Connection connection;
        private final InboxStore.Claim claim;
        private final List<Task<?>> tasks = new ArrayList<>();
        private final List<Verdict.Run> runs = new ArrayList<>();
        private int current;
        private @Nullable String trace;

        Run(Connection connection, List<Task<?>> all, InboxStore.Claim claim) {
            this.connection = connection;
            this.claim = claim;
            for (int i = 0; i < all.size(); i++) {
                if (claim.verdicts().get(i) instanceof Verdict.Run run) {
                    tasks.add(all.get(i));
                    runs.add(run);
                }
            }
        }

        int granted() {
            return tasks.size();
        }

        int kept() {
            return (int) claim.verdicts().stream()
                    .filter(verdict -> verdict instanceof Verdict.Wait)
                    .count();
        }

        Task<?> current() {
            return tasks.get(current);
        }

        Verdict.Run currentRun() {
            return runs.get(current);
        }

        /** Null if it went well. */
        @Nullable
        Throwable handleAndCommit() {
            GuardedConnection guard = new GuardedConnection(connection);
            try {
                useKeys();
                int next = 0;
                while (next < tasks.size()) {
                    current = next;
                    next = togetherUntil(next);
                    handle(guard, tasks.subList(current, next));
                }
                guard.end();
                inbox.requireSameTransaction(connection, claim);
                connection.commit();
                return null;
            } catch (Throwable e) { // whatever a handler throws: an Error of its own must not end the lane
                guard.end();
                return e;
            }
        }

        /** Takes out those whose effect is there already, under their key; a conflict is the message's end. */
        private void useKeys() throws SQLException, NotDoneException {
            List<Integer> keyed = new ArrayList<>();
            List<BusinessKey> keys = new ArrayList<>();
            for (int i = 0; i < tasks.size(); i++) {
                BusinessKey key = tasks.get(i).businessKey();
                if (key != null) {
                    keyed.add(i);
                    keys.add(key);
                }
            }
            List<KeyVerdict> verdicts = keys.isEmpty() ? List.of() : inbox.useKeys(connection, keys);
            for (int i = verdicts.size() - 1; i >= 0; i--) { // from the end: the places of the others stay
                int at = keyed.get(i);
                if (verdicts.get(i) instanceof KeyVerdict.Conflict conflict) {
                    current = at;
                    throw NotDoneException.keyConflict(conflict.by());
                }
                if (verdicts.get(i) instanceof KeyVerdict.Used used) {
                    if (!used.done()) { // by a leased handler of this name, before it became this one
                        current = at;
                        throw new NotDoneException(Outcome.retryAfter(FailureRecorder.KEY_IN_USE_DELAY));
                    }
                    tasks.remove(at);
                    runs.remove(at);
                }
            }
        }

        /** Neighbours with one batch handler are run in one call. */
        private int togetherUntil(int first) {
            int next = first + 1;
            Work<?> work = tasks.get(first).work();
            while (work instanceof Work.Batch
                    && next < tasks.size()
                    && tasks.get(next).work().equals(work)) {
                next++;
            }
            return next;
        }

        @SuppressWarnings(
                "unchecked") // tasks with one work were read into its kind of payload; leased ones never come here
        private <T> void handle(GuardedConnection guard, List<Task<?>> together) throws Exception {
            Work.Transactional<T> work = (Work.Transactional<T>) together.get(0).work();
            List<Event<T>> events =
                    together.stream().map(task -> (Event<T>) task.event()).toList();
            HandlerTransaction tx =
                    new HandlerTransaction(guard, Records.delivery(current(), currentRun(), events.size()));
            long began = System.nanoTime();
            Running.Entry entry = running.begin(current(), currentRun());
            try (Tracing.AttemptSpan span = tracing.begin(together, currentRun().attempt())) {
                trace = span.traceparent();
                try {
                    requireDone(work.run(events, tx));
                } catch (Throwable e) {
                    span.failed(e);
                    throw e;
                }
            } finally {
                entry.end();
                meters.took(System.nanoTime() - began);
            }
        }

        private static void requireDone(Outcome outcome) throws NotDoneException {
            if (!(outcome instanceof Outcome.Done)) {
                throw new NotDoneException(outcome);
            }
        }
    }
}
