package dev.posthaste.consumer.internal;

import java.time.Clock;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongSupplier;

import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.posthaste.consumer.BreakerSettings;
import dev.posthaste.consumer.OpenBreaker;

/**
 * Tells an outage from poison, for one handler. Many different messages that fail alike with no success between them
 * are no fault of theirs: then the handler takes nothing any more but one record at a time as a probe, after growing,
 * random pauses, whose failure spends no attempt. A success closes it.
 *
 * <p>What a handler itself says of a message, what it names as permanent and what cannot be read counts neither way. Of
 * a long run of poison that fails like an outage nobody can tell; so that it does not stand still for ever, probes
 * count as attempts once it has been open for as long as the handler's retry horizon. Thread-safe; calls nobody.
 */
public final class Breaker {

    private static final Logger LOG = LoggerFactory.getLogger(Breaker.class);
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);

    /** So much longer the partition that probed last waits for the next probe: another one may tell something else. */
    private static final long OTHERS_FIRST_NANOS = Duration.ofMillis(200).toNanos();

    /** Nobody has a record to probe with for that long: a waiting retry is wanted. */
    private static final long LONELY_NANOS = Duration.ofSeconds(2).toNanos();

    private final String handler;
    private final BreakerSettings settings;
    private final Duration patience;
    private final Backoff backoff;
    private final LongSupplier nanoTime;
    private final Clock clock;

    /** Closed: the different messages that have failed alike since the last success, and how. */
    private final Set<UUID> alike = new HashSet<>();

    private String code = "";
    private @Nullable Open open;

    /**
     * Makes one that is closed.
     *
     * @param patience after so long open, a failed probe counts as an attempt
     * @param nanoTime a clock that never goes back, as {@link System#nanoTime()}
     */
    public Breaker(String handler, BreakerSettings settings, Duration patience, LongSupplier nanoTime, Clock clock) {
        this.handler = handler;
        this.settings = settings;
        this.patience = patience;
        this.backoff = new Backoff(FIRST_PAUSE, settings.pauseMax());
        this.nanoTime = nanoTime;
        this.clock = clock;
    }

    /** What a partition may do now. */
    enum Permit {
        /** Run chunks. */
        FREE,
        /** Run one record, as a probe; to be told how it ended. */
        PROBE,
        /** Wait. */
        NONE
    }

    /** While it is open. */
    private static final class Open {
        private final OpenBreaker told;
        private final long sinceNanos;
        private int probes;
        private long probeAt;
        private boolean probing;
        private @Nullable TopicPartition probedLast;
        private long wantedAt;

        Open(OpenBreaker told, long sinceNanos, long probeAt) {
            this.told = told;
            this.sinceNanos = sinceNanos;
            this.probeAt = probeAt;
            this.wantedAt = probeAt;
        }
    }

    /** Whether a partition that has records may run some; whoever gets {@link Permit#PROBE} must end the probe. */
    synchronized Permit permit(TopicPartition partition) {
        Open now = open;
        if (now == null) {
            return Permit.FREE;
        }
        long due = partition.equals(now.probedLast) ? now.probeAt + OTHERS_FIRST_NANOS : now.probeAt;
        if (now.probing || nanoTime.getAsLong() - due < 0) {
            return Permit.NONE;
        }
        now.probing = true;
        now.probedLast = partition;
        return Permit.PROBE;
    }

    /** Whether the handler pauses. */
    public synchronized boolean isOpen() {
        return open != null;
    }

    /** How it is open; empty while it is closed. */
    public synchronized Optional<OpenBreaker> open() {
        return Optional.ofNullable(open).map(now -> now.told);
    }

    /** A message had its effect. */
    synchronized void succeeded() {
        alike.clear();
        Open now = open;
        if (now != null) {
            open = null;
            LOG.info(
                    "handler {} goes on: a message succeeded after {} of pause and {} failed probes",
                    handler,
                    Duration.ofNanos(nanoTime.getAsLong() - now.sinceNanos),
                    now.probes);
        }
    }

    /** An attempt failed and is written down. */
    synchronized void failed(UUID messageId, String failureCode) {
        if (open != null) {
            return; // it was begun before
        }
        if (!failureCode.equals(code)) {
            alike.clear();
            code = failureCode;
        }
        alike.add(messageId);
        if (alike.size() >= settings.messages()) {
            open(alike.size());
            alike.clear();
        }
    }

    private void open(int failures) {
        long now = nanoTime.getAsLong();
        open = new Open(new OpenBreaker(code, clock.instant(), failures), now, now + pause(1));
        LOG.warn(
                "handler {} pauses: {} different messages in a row failed with {}, which looks like an outage of"
                        + " something it needs; it takes nothing and spends no attempt until a probe succeeds",
                handler,
                failures,
                code);
    }

    /**
     * A probe failed; {@link #probeEnded} follows.
     *
     * @return whether that counts as an attempt of its message, to be written down
     */
    synchronized boolean probeFailed() {
        Open now = open;
        if (now == null) {
            return true; // a chunk that had begun before has succeeded meanwhile
        }
        now.probes++;
        now.probeAt = nanoTime.getAsLong() + pause(now.probes + 1);
        now.wantedAt = now.probeAt;
        return nanoTime.getAsLong() - now.sinceNanos >= patience.toNanos();
    }

    /** A probe is over, whatever it told: another may follow. */
    synchronized void probeEnded() {
        Open now = open;
        if (now != null) {
            now.probing = false;
        }
    }

    /** Whether a waiting retry should be put on its topic for the next probe: nobody has had a record for it. */
    public synchronized boolean wantsRecord() {
        Open now = open;
        long time = nanoTime.getAsLong();
        if (now == null || now.probing || time - now.wantedAt < LONELY_NANOS) {
            return false;
        }
        now.wantedAt = time;
        return true;
    }

    private long pause(int probe) {
        return backoff.delay(probe, ThreadLocalRandom.current()).toNanos();
    }
}
