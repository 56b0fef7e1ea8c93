package dev.posthaste.chaos.load;

import java.util.concurrent.TimeUnit;

/** Holds all writers together to a rate. Thread-safe. */
final class Pace {

    /** What was missed in an outage is not made up for, or the load after it would be another one. */
    private static final long BEHIND_NANOS_MAX = TimeUnit.SECONDS.toNanos(1);

    private final long nanosPerMessage;
    private long nextAt = System.nanoTime();

    Pace(int rate) {
        this.nanosPerMessage = TimeUnit.SECONDS.toNanos(1) / rate;
    }

    /** Waits until that many messages are due, or the signal is given. */
    void await(int messages, StopSignal stop) {
        long wait = TimeUnit.NANOSECONDS.toMillis(take(messages));
        if (wait > 0) {
            stop.await(wait);
        }
    }

    private synchronized long take(int messages) {
        long now = System.nanoTime();
        nextAt = Math.max(nextAt, now - BEHIND_NANOS_MAX);
        long at = nextAt;
        nextAt += messages * nanosPerMessage;
        return at - now;
    }
}
