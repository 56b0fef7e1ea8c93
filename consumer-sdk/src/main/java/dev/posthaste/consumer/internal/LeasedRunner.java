package dev.posthaste.consumer.internal;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.posthaste.consumer.Outcome;
import dev.posthaste.consumer.inbox.BusinessKey;
import dev.posthaste.consumer.inbox.DeliveryId;
import dev.posthaste.consumer.inbox.InboxStore;
import dev.posthaste.consumer.inbox.KeyVerdict;
import dev.posthaste.consumer.inbox.LeasedDelivery;
import dev.posthaste.consumer.inbox.Verdict;

/**
 * Runs leased messages one by one: a short transaction claims, the call is made with none open, another writes what
 * came of it if the claim is still ours. Thread-safe.
 *
 * <p>A claim whose process has died needs nobody to look for it. Its record is not finished, so its offset is not
 * committed and the partition's next owner gets it; and a retry is emitted again until it is completed. Whoever meets
 * the claim waits until it has expired, counts the attempt as failed and goes on.
 */
final class LeasedRunner implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(LeasedRunner.class);

    /** So many calls may hang with nobody waiting for them; beyond, nothing new is begun. */
    static final int GIVEN_UP_MAX = 16;

    private static final long IDLE_THREAD_SECONDS = 30;

    private final HandlerSetup setup;
    private final Leasing leasing;
    private final InboxStore inbox;
    private final InboxTransactions transactions;
    private final FailureRecorder failures;
    private final DeliveryMeters meters;
    private final Running running;
    private final TerminalWrites terminalWrites;
    private final BooleanSupplier drainOver;
    private final ExecutorService threads;
    private final Set<DeliveryId> inHand = ConcurrentHashMap.newKeySet();
    private final Set<LeasedCall<?>> calls = ConcurrentHashMap.newKeySet();

    /**
     * Makes one.
     *
     * @param drainOver whether the time of a drain is over: then nothing new is begun, and lanes' threads are
     *     interrupted
     */
    LeasedRunner(
            HandlerSetup setup,
            Leasing leasing,
            InboxStore inbox,
            FailureRecorder failures,
            DeliveryMeters meters,
            Running running,
            BooleanSupplier drainOver) {
        this.setup = setup;
        this.leasing = leasing;
        this.inbox = inbox;
        this.transactions = new InboxTransactions(setup, inbox, meters);
        this.failures = failures;
        this.meters = meters;
        this.running = running;
        this.drainOver = drainOver;
        this.terminalWrites =
                new TerminalWrites(setup.inboxGate(), setup.settings().abortTerminalWrites(), drainOver);
        this.threads = newThreads();
    }

    /** As many as lanes at work and calls given up; daemons, for the latter may never end. */
    private ExecutorService newThreads() {
        AtomicInteger number = new AtomicInteger();
        return new ThreadPoolExecutor(
                0, Integer.MAX_VALUE, IDLE_THREAD_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(), task -> {
                    Thread thread =
                            new Thread(task, "posthaste-" + setup.handler() + "-call-" + number.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
    }

    /** Runs one message to its end; the lane's thread waits. */
    ChunkResult.Ending run(Task<?> task) {
        if (drainOver.getAsBoolean()) {
            return new ChunkResult.Abandoned();
        }
        if (running.givenUp() >= GIVEN_UP_MAX) {
            return busy(task, GIVEN_UP_MAX + " hung calls of this process");
        }
        if (!inHand.add(task.arrival().id())) {
            return busy(task, setup.worker().owner()); // its twin, or the attempt before
        }
        try {
            Claim claim = transactions.run(on -> claim(on, task));
            return claim.verdict() instanceof Verdict.Leased leased
                    ? run(task, leased, claim.key())
                    : leave(task, claim.verdict());
        } catch (SQLException e) {
            return drainOver.getAsBoolean()
                    ? new ChunkResult.Abandoned()
                    : ChunkResult.away(task.event().id(), e);
        } finally {
            inHand.remove(task.arrival().id());
        }
    }

    /** What the inbox says of a message, and of its business key. */
    private record Claim(Verdict verdict, KeyVerdict key) {}

    private Claim claim(Connection connection, Task<?> task) throws SQLException {
        Verdict verdict = inbox.lease(connection, task.arrival(), leasing.lease());
        BusinessKey key = task.businessKey();
        if (key == null || !(verdict instanceof Verdict.Leased leased) || leased.expired()) {
            return new Claim(verdict, new KeyVerdict.First());
        }
        KeyVerdict use = inbox.useKeys(connection, List.of(key)).get(0);
        if (use instanceof KeyVerdict.Used used && used.done()) {
            inbox.complete(connection, held(task, leased), leased.run().attempt());
            return new Claim(new Verdict.Skip(true), use);
        }
        return new Claim(verdict, use);
    }

    private static LeasedDelivery held(Task<?> task, Verdict.Leased leased) {
        return new LeasedDelivery(task.arrival().id(), leased.lease());
    }

    private ChunkResult.Busy busy(Task<?> task, String owner) {
        return new ChunkResult.Busy(
                task.event().id(), owner, setup.clock().instant().plus(leasing.lease()));
    }

    private ChunkResult.Ending leave(Task<?> task, Verdict verdict) throws SQLException {
        if (verdict instanceof Verdict.Busy busy) {
            return new ChunkResult.Busy(task.event().id(), String.valueOf(busy.owner()), busy.until());
        }
        int waitingMax = setup.settings().waitingMax();
        if (verdict instanceof Verdict.Wait
                && !transactions.run(
                        on -> inbox.keepBehind(on, task.arrival(), Records.stored(task.record()), waitingMax))) {
            return new ChunkResult.Full(task.event().id());
        }
        meters.committed(0, 1);
        return new ChunkResult.Done();
    }

    private ChunkResult.Ending run(Task<?> task, Verdict.Leased leased, KeyVerdict key) {
        if (leased.expired()) {
            return failures.leaseExpired(
                    task, leased.run(), leased.lease(), "its lease ended, or its process, before the call did");
        }
        if (key instanceof KeyVerdict.Used used) {
            return terminalWrites.until(() -> failures.keyInUse(task, leased.run(), used.by(), leased.lease()));
        }
        if (key instanceof KeyVerdict.Conflict conflict) {
            return terminalWrites.until(() -> failures.failedCall(
                    task, leased.run(), NotDoneException.keyConflict(conflict.by()), leased.lease()));
        }
        LeasedCall<?> call = call(task, leased);
        calls.add(call);
        try {
            threads.execute(call);
            LeasedCall.End end = call.await();
            return terminalWrites.until(() -> write(task, leased, call.held(), end));
        } finally {
            calls.remove(call);
        }
    }

    private <T> LeasedCall<T> call(Task<T> task, Verdict.Leased leased) {
        if (!(task.work() instanceof Work.Leased<T> work)) {
            throw new IllegalStateException(task.event() + " is no leased handler's"); // refused at start
        }
        return new LeasedCall<>(
                task, work.function(), leased.run(), held(task, leased), leasing.callMax(), running, meters);
    }

    private ChunkResult.Ending write(Task<?> task, Verdict.Leased leased, LeasedDelivery held, LeasedCall.End end) {
        try {
            if (end instanceof LeasedCall.Returned returned) {
                return returned.outcome() instanceof Outcome.Done
                        ? complete(leased, held)
                        : failures.failedCall(
                                task, leased.run(), new NotDoneException(returned.outcome()), leased.lease());
            }
            if (end instanceof LeasedCall.Threw threw) {
                return drainOver.getAsBoolean()
                        ? release(held)
                        : failures.failedCall(task, leased.run(), threw.cause(), leased.lease());
            }
            if (end instanceof LeasedCall.TimedOut) {
                return failures.leaseExpired(
                        task, leased.run(), leased.lease(), "the call took longer than callMax and hangs");
            }
            if (end instanceof LeasedCall.Lost) {
                LOG.warn("handler {}: the lease of {} is lost, another has it", setup.handler(), task.event());
                return new ChunkResult.Done();
            }
            return new ChunkResult.Abandoned(); // it may still run: whoever comes next waits for the lease to expire
        } catch (SQLException e) {
            return ChunkResult.away(task.event().id(), e);
        }
    }

    private ChunkResult.Ending complete(Verdict.Leased leased, LeasedDelivery held) throws SQLException {
        if (transactions.run(on -> inbox.complete(on, held, leased.run().attempt()))) {
            meters.committed(1, 0);
            setup.breaker().succeeded(1);
        } else {
            meters.stale();
            LOG.warn(
                    "handler {}: the completion of message {} under fence {} is refused, another has taken it over",
                    setup.handler(),
                    held.id().messageId(),
                    held.lease().fence());
        }
        return new ChunkResult.Done();
    }

    /** A call that failed because it was interrupted at the end of a drain costs no attempt. */
    private ChunkResult.Ending release(LeasedDelivery held) throws SQLException {
        var unused = transactions.run(on -> inbox.release(on, held));
        return new ChunkResult.Abandoned();
    }

    /** Renews the leases of all calls under way; throws nothing. */
    void renew() {
        List<LeasedCall<?>> now = List.copyOf(calls);
        if (now.isEmpty()) {
            return;
        }
        List<LeasedDelivery> held = now.stream().map(call -> call.held()).toList();
        try {
            Set<LeasedDelivery> lost = Set.copyOf(transactions.run(on -> inbox.renew(on, held, leasing.lease())));
            now.stream().filter(call -> lost.contains(call.held())).forEach(LeasedCall::lost);
        } catch (SQLException | RuntimeException e) {
            if (!drainOver.getAsBoolean()) {
                setup.inboxGate().failed(e);
            }
        }
    }

    /** Interrupts what still hangs. */
    @Override
    public void close() {
        threads.shutdownNow();
    }
}
