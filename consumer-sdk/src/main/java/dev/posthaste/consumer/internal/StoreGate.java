package dev.posthaste.consumer.internal;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.posthaste.consumer.inbox.Printable;

/**
 * Closed while a store is away: those that found it away wait for a growing, random while and try again. An outage is
 * no failed message (provisions S1 24 and 25), and is logged once a minute at most. Thread-safe.
 */
public final class StoreGate {

    private static final Logger LOG = LoggerFactory.getLogger(StoreGate.class);
    private static final Duration FIRST_DELAY = Duration.ofMillis(100);

    /** Whoever tries alone has that long to tell what it found; then another does. */
    private static final long PROBE_NANOS = Duration.ofSeconds(5).toNanos();

    private static final long LOG_EVERY_NANOS = Duration.ofMinutes(1).toNanos();

    private final String store;
    private final Backoff backoff;
    private final LongSupplier nanoTime;
    private int failures;
    private boolean probing;
    private long openAt;
    private long loggedAt;
    private String why = "";

    /**
     * Makes an open gate.
     *
     * @param store what the log calls it
     * @param delayMax longest pause between two tries
     * @param nanoTime a clock that never goes back, as {@link System#nanoTime()}
     */
    public StoreGate(String store, Duration delayMax, LongSupplier nanoTime) {
        this.store = store;
        this.backoff = new Backoff(FIRST_DELAY, delayMax);
        this.nanoTime = nanoTime;
    }

    /**
     * Whether the caller may try the store now; if so it must tell what it found. While the store is away one may,
     * after each pause, and all others leave it alone (provision S1 27).
     */
    public synchronized boolean mayTry() {
        if (failures == 0) {
            return true;
        }
        long now = nanoTime.getAsLong();
        if (now - openAt < 0) {
            return false;
        }
        probing = true;
        openAt = now + PROBE_NANOS;
        return true;
    }

    /** Whether the pause is over, for those that try it anyway. */
    public synchronized boolean isOpen() {
        return failures == 0 || nanoTime.getAsLong() - openAt >= 0;
    }

    /** Whether the last try succeeded. */
    public synchronized boolean isAvailable() {
        return failures == 0;
    }

    /** Why the last try failed, and what to do where that is known; null if it succeeded. */
    public synchronized @Nullable String why() {
        return failures == 0 ? null : why;
    }

    /** The last try succeeded. */
    public synchronized void succeeded() {
        if (failures > 0) {
            LOG.info("{} is available again after {} failed tries", store, failures);
            failures = 0;
            probing = false;
        }
    }

    /** Several find the same outage at once: only the first of them makes the pause longer. */
    public synchronized void failed(Throwable cause) {
        long now = nanoTime.getAsLong();
        if (failures > 0 && !probing && now - openAt < 0) {
            return;
        }
        probing = false;
        failures++;
        why = describe(cause);
        Duration delay = backoff.delay(failures, ThreadLocalRandom.current());
        openAt = now + delay.toNanos();
        if (failures == 1 || now - loggedAt >= LOG_EVERY_NANOS) {
            loggedAt = now;
            LOG.warn("{} is not available ({} failed tries); pausing, then trying again: {}", store, failures, why);
        }
    }

    private static String describe(Throwable error) {
        Throwable cause = error.getCause();
        String remedy = SqlErrors.remedy(error);
        return Printable.of(
                error + (cause == null ? "" : ", caused by " + cause) + (remedy.isEmpty() ? "" : "; " + remedy));
    }
}
