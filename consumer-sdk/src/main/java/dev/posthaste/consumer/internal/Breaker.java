package dev.posthaste.consumer.internal;

import java.time.Clock;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
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
 * <p>A run of poison looks the same, and a good message may stand behind it. So a record whose probe failed makes way:
 * it is set aside for the retry topic, and the next probe takes another one, of another partition and strand where
 * there are some. The pauses grow so slowly that 60 records of poison are passed in about half a minute and
 * {@value #SET_ASIDE_MAX} within an hour; beyond that many, in one outage, a record stays where it is.
 *
 * <p>Nor does poison open it again and again when it comes back: a message that has failed before, while so many others
 * succeeded since as it takes failures to open, is to blame itself, and its failures tell of no outage.
 *
 * <p>What a handler itself says of a message, what it names as permanent and what cannot be read counts neither way.
 * Where there is nothing but poison nobody can tell; so that it does not stand still for ever, probes count as attempts
 * once it has been open for as long as the handler's retry horizon. Thread-safe; calls nobody.
 */
public final class Breaker {

    private static final Logger LOG = LoggerFactory.getLogger(Breaker.class);
    private static final long FIRST_PAUSE_NANOS = Duration.ofSeconds(1).toNanos();

    /** After so many failed probes the pause is twice the first, after twice as many three times, and so on. */
    private static final int PROBES_PER_STEP = 100;

    /** Most records that make way for others in one outage: they are stored meanwhile. */
    static final int SET_ASIDE_MAX = 1_000;

    /** Messages that have failed are remembered, the last so many. */
    private static final int REMEMBERED_MAX = 10_000;

    /** So much longer partitions that have probed wait for the next probe: others may tell something else. */
    private static final long OTHERS_FIRST_NANOS = Duration.ofMillis(200).toNanos();

    /** Nobody has a record to probe with for that long: a waiting retry is wanted. */
    private static final long LONELY_NANOS = Duration.ofSeconds(2).toNanos();

    private final String handler;
    private final BreakerSettings settings;
    private final Duration patience;
    private final LongSupplier nanoTime;
    private final Clock clock;

    /** Closed: the different messages that have failed alike since the last success, and how. */
    private final Set<UUID> alike = new HashSet<>();

    /** Messages that have failed, each with the number of successes before that. */
    private final Map<UUID, Long> failedAfter = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<UUID, Long> eldest) {
            return size() > REMEMBERED_MAX;
        }
    };

    private long successes;
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

    /** What becomes of a record whose probe failed. */
    enum Probed {
        /** It is a failed attempt like any other. */
        COUNTS,
        /** It makes way for another, at no attempt. */
        SET_ASIDE,
        /** It stays where it is, at no attempt. */
        STAYS
    }

    /** While it is open. */
    private static final class Open {
        private final OpenBreaker told;
        private final long sinceNanos;
        private int probes;
        private long probeAt;
        private boolean probing;
        private int setAside;

        /** Who has had a probe since each of them has. */
        private final Set<TopicPartition> probed = new HashSet<>();

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
        long due = now.probed.contains(partition) ? now.probeAt + OTHERS_FIRST_NANOS : now.probeAt;
        if (now.probing || nanoTime.getAsLong() - due < 0) {
            return Permit.NONE;
        }
        now.probing = true;
        if (!now.probed.add(partition)) { // nobody else has wanted it: the next round begins
            now.probed.clear();
            now.probed.add(partition);
        }
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

    /** So many messages had their effect. */
    synchronized void succeeded(int messages) {
        successes += messages;
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
        if (isPoison(messageId) || open != null) {
            return; // if it is open, it was begun before
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

    /** Whether it has failed before and enough others have not since. To be asked at every failure: it remembers. */
    private boolean isPoison(UUID messageId) {
        Long before = failedAfter.putIfAbsent(messageId, successes);
        return before != null && successes - before >= settings.messages();
    }

    private void open(int failures) {
        long now = nanoTime.getAsLong();
        open = new Open(new OpenBreaker(code, clock.instant(), failures), now, now + pause(0));
        LOG.warn(
                "handler {} pauses: {} different messages in a row failed with {}, which looks like an outage of"
                        + " something it needs; it takes nothing and spends no attempt until a probe succeeds",
                handler,
                failures,
                code);
    }

    /** A probe failed; {@link #probeEnded} follows. */
    synchronized Probed probeFailed(UUID messageId) {
        Open now = open;
        if (now == null) {
            return Probed.COUNTS; // a chunk that had begun before has succeeded meanwhile
        }
        failedAfter.putIfAbsent(messageId, successes);
        now.probes++;
        now.probeAt = nanoTime.getAsLong() + pause(now.probes);
        now.wantedAt = now.probeAt;
        if (nanoTime.getAsLong() - now.sinceNanos >= patience.toNanos()) {
            return Probed.COUNTS;
        }
        return now.setAside++ < SET_ASIDE_MAX ? Probed.SET_ASIDE : Probed.STAYS;
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

    /** Random, up to a bound that grows by a step after each hundred probes. */
    private long pause(int probes) {
        long bound = FIRST_PAUSE_NANOS + FIRST_PAUSE_NANOS / PROBES_PER_STEP * probes;
        return 1
                + ThreadLocalRandom.current()
                        .nextLong(Math.min(bound, settings.pauseMax().toNanos()));
    }
}
