package dev.posthaste.chaos.collect;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.jspecify.annotations.Nullable;

/**
 * Something that is asked again and again of somebody who may not answer. One that hangs is not asked a second time
 * meanwhile, so it takes one thread at most. Used by one thread.
 *
 * @param <T> the answer
 */
final class Question<T> {

    private final ExecutorService threads;
    private final Callable<@Nullable T> asked;
    private @Nullable Future<@Nullable T> pending;

    Question(ExecutorService threads, Callable<@Nullable T> asked) {
        this.threads = threads;
        this.asked = asked;
    }

    /** Asks, unless the last one still hangs, and does not wait. */
    void ask() {
        if (pending == null || pending.isDone()) {
            pending = threads.submit(asked);
        }
    }

    /** What it was answered by then; null: nothing, or that it cannot be told. */
    @Nullable
    T answer(long deadlineNanos) {
        if (pending == null) {
            return null;
        }
        try {
            long left = Math.max(0, deadlineNanos - System.nanoTime());
            return pending.get(left, TimeUnit.NANOSECONDS);
        } catch (ExecutionException | TimeoutException e) {
            return null; // that is what a fault looks like from here
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    static long deadline(Duration time) {
        return System.nanoTime() + time.toNanos();
    }
}
