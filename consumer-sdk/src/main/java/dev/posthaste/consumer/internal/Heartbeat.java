package dev.posthaste.consumer.internal;

import java.time.Duration;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Renews the leases of a consumer's leased handlers, on a thread {@code posthaste-leases} that is there if one of them
 * is. What hangs on it, a store that does not answer above all, holds up the others' renewal as well: they share the
 * store. Thread-safe.
 */
public final class Heartbeat implements AutoCloseable {

    private final ScheduledThreadPoolExecutor timer =
            new ScheduledThreadPoolExecutor(1, task -> new Thread(task, "posthaste-leases"));

    /** Begins to renew again and again; what it throws would end that. */
    void every(Duration period, Runnable renewal) {
        var unused = timer.scheduleWithFixedDelay(renewal, period.toNanos(), period.toNanos(), TimeUnit.NANOSECONDS);
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
