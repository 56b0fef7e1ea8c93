package dev.posthaste.consumer.internal;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.posthaste.consumer.Call;
import dev.posthaste.consumer.CallHandler;
import dev.posthaste.consumer.Delivery;
import dev.posthaste.consumer.Outcome;
import dev.posthaste.consumer.inbox.BusinessKey;
import dev.posthaste.consumer.inbox.LeasedDelivery;
import dev.posthaste.consumer.inbox.Verdict;

/**
 * One call of a leased handler, on a thread of its own: whoever waits for it can give it up. Its end is decided once;
 * what comes of it later is refused and counted. Thread-safe.
 */
final class LeasedCall<T> implements Call, Runnable {

    private static final Logger LOG = LoggerFactory.getLogger(LeasedCall.class);
    private static final Duration EXTENSION_MAX = Duration.ofHours(1);

    /** So long an interrupted call has to come to an end at the end of a drain. */
    static final Duration GRACE = Duration.ofSeconds(2);

    private final Task<T> task;
    private final CallHandler<T> function;
    private final Verdict.Run run;
    private final LeasedDelivery held;
    private final Running running;
    private final DeliveryMeters meters;
    private long deadline;
    private @Nullable Thread thread;
    private Running.@Nullable Entry entry;
    private @Nullable End end;

    LeasedCall(
            Task<T> task,
            CallHandler<T> function,
            Verdict.Run run,
            LeasedDelivery held,
            Duration callMax,
            Running running,
            DeliveryMeters meters) {
        this.task = task;
        this.function = function;
        this.run = run;
        this.held = held;
        this.running = running;
        this.meters = meters;
        this.deadline = System.nanoTime() + callMax.toNanos();
    }

    /** How it ended for whoever waits for it. */
    sealed interface End {}

    /** The function returned. */
    record Returned(Outcome outcome) implements End {}

    /** The function threw. */
    record Threw(Throwable cause) implements End {}

    /** It takes longer than it may. */
    record TimedOut() implements End {}

    /** Somebody else has the delivery. */
    record Lost() implements End {}

    /** The time of a drain is over, and the function did not come back when it was interrupted. */
    record Interrupted() implements End {}

    LeasedDelivery held() {
        return held;
    }

    @Override
    public String idempotencyKey() {
        BusinessKey key = task.businessKey();
        return key == null ? task.event().id().toString() : provided(key);
    }

    /** Neither has a NUL in it. Providers bound their keys, and should not have to read ours. */
    private static String provided(BusinessKey key) {
        String unique = key.id().tenant() + '\0' + key.key();
        return HexFormat.of().formatHex(Sha256.of(unique.getBytes(StandardCharsets.UTF_8)));
    }

    @Override
    public Delivery delivery() {
        return Records.delivery(task, run);
    }

    @Override
    public synchronized void extendLease(Duration time) {
        if (time.toMillis() < 1 || time.compareTo(EXTENSION_MAX) > 0) {
            throw new IllegalArgumentException(
                    "extendLease(" + time + "): the time must be from 1 ms to " + EXTENSION_MAX);
        }
        if (end != null) {
            throw new IllegalStateException("the lease of message "
                    + task.event().id() + " is lost; end the call, what comes of it counts no more");
        }
        long extended = System.nanoTime() + time.toNanos();
        deadline = extended - deadline > 0 ? extended : deadline;
    }

    @Override
    public void run() {
        if (!begin()) {
            return;
        }
        long began = System.nanoTime();
        End own;
        try {
            own = new Returned(NoOutcomeException.required(function.call(task.event(), this)));
        } catch (Throwable e) { // whatever a handler throws: an Error of its own must not end the lane
            own = new Threw(e);
        }
        meters.took(System.nanoTime() - began);
        finish(own);
    }

    private synchronized boolean begin() {
        if (end != null) {
            return false; // given up before it began
        }
        thread = Thread.currentThread();
        entry = running.begin(task, run);
        return true;
    }

    private synchronized void finish(End own) {
        thread = null;
        var unused = Thread.interrupted(); // the thread is used again
        if (entry != null) {
            entry.end();
        }
        if (end instanceof TimedOut || end instanceof Lost) {
            meters.stale();
            LOG.warn(
                    "attempt {} at message {} came to its end after its lease: what came of it ({}) is refused",
                    run.attempt(),
                    task.event().id(),
                    own.getClass().getSimpleName());
        } else if (end == null) {
            end = own;
            notifyAll();
        }
    }

    /** The store says that somebody else has it. */
    synchronized void lost() {
        giveUp(new Lost());
    }

    /** Waits for its end, and gives it up when its time is over. */
    synchronized End await() {
        while (end == null) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                return giveUp(new TimedOut());
            }
            try {
                TimeUnit.NANOSECONDS.timedWait(this, Math.max(left, TimeUnit.MILLISECONDS.toNanos(1)));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return awaitInterrupted();
            }
        }
        return end;
    }

    /** At the end of a drain: it may come to an end by itself still. */
    private synchronized End awaitInterrupted() {
        interrupt();
        boolean interrupted = Thread.interrupted();
        long graceEnds = System.nanoTime() + GRACE.toNanos();
        try {
            while (end == null && graceEnds - System.nanoTime() > 0) {
                TimeUnit.MILLISECONDS.timedWait(this, 1 + TimeUnit.NANOSECONDS.toMillis(graceEnds - System.nanoTime()));
            }
        } catch (InterruptedException e) {
            interrupted = true; // enough
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return giveUp(new Interrupted());
    }

    private synchronized End giveUp(End why) {
        if (end == null) {
            end = why;
            interrupt();
            if (entry != null) {
                entry.giveUp();
            }
            notifyAll();
        }
        return end;
    }

    private synchronized void interrupt() {
        if (thread != null) {
            thread.interrupt();
        }
    }
}
