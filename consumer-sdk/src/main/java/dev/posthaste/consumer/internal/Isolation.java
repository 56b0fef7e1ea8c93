package dev.posthaste.consumer.internal;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;

/**
 * Keeps attempts at messages that have ended their process before apart from all others that are written down before
 * they begin. Should the process end again, then it is clear at which of them: no other message is charged with a
 * second attempt for being in hand at the same time. Shared by all handlers of a process. Thread-safe.
 */
public final class Isolation {

    /** Beyond it a handler hangs or takes long: the others do not wait for that, and may be charged an attempt. */
    private static final Duration WAIT = Duration.ofSeconds(10);

    private final ReentrantReadWriteLock attempts = new ReentrantReadWriteLock(true);

    /** Runs an attempt: beside others, or alone. */
    <T> T run(boolean alone, Supplier<T> attempt) {
        Lock lock = alone ? attempts.writeLock() : attempts.readLock();
        boolean locked = lock(lock);
        try {
            return attempt.get();
        } finally {
            if (locked) {
                lock.unlock();
            }
        }
    }

    private static boolean lock(Lock lock) {
        try {
            return lock.tryLock(WAIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the time of a drain is over, which the attempt will find out
            return false;
        }
    }
}
