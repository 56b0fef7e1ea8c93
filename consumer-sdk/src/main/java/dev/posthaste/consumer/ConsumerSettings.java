package dev.posthaste.consumer;

import java.time.Duration;
import java.time.temporal.ChronoUnit;

import org.jspecify.annotations.Nullable;

/**
 * How a {@link PosthasteConsumer} runs its handlers. Begin with {@link #defaults()}. Immutable.
 *
 * @param chunkMax most records of one partition that share a database transaction; from 1 to 500, default 50
 * @param lanesMax most partitions of one handler that are worked on at the same time, each on a thread and a connection
 *     of its own, or on as many as {@link Handler#concurrency} says; from 1 to 64, default 4. The pool behind the data
 *     source should hold that many for every handler
 * @param lockTimeout how long a statement waits for a lock; at least 1 ms, default 10 s
 * @param contentionRetriesMax how often a chunk is tried again at once after a deadlock, a serialization failure or a
 *     lock time-out; from 0 to 100, default 5
 * @param storeBackoffMax longest pause between two tries while the database or Kafka is away; at least 100 ms, default
 *     30 s
 * @param drainTimeout how long {@link PosthasteConsumer#close()} waits for the chunks in hand; default 30 s
 * @param sessionTimeout after what silence Kafka gives the partitions of a dead member to others; from 6 s to 5 min,
 *     default 10 s
 * @param waitingMax most messages that may wait behind one key of a handler with order per key; beyond it the partition
 *     pauses; from 1 to 100,000, default 1,000
 * @param hungAfter after what time in a handler a message is named as hung by {@link PosthasteConsumer#health()}; from
 *     100 ms to 24 h, default 1 min
 * @param abortTerminalWrites whether the end of a drain may leave what came of a leased call unwritten, so that the
 *     call is made again elsewhere; default false: it is written first, which may take 7 s more
 * @param breaker when a handler pauses because everything it touches fails
 * @param retention how long the inbox remembers what is completed, by message id and business key; from 1 hour to 10
 *     years, or {@link #FOREVER}; default 30 days. A topic that keeps records longer is not read
 */
public record ConsumerSettings(
        int chunkMax,
        int lanesMax,
        Duration lockTimeout,
        int contentionRetriesMax,
        Duration storeBackoffMax,
        Duration drainTimeout,
        Duration sessionTimeout,
        int waitingMax,
        Duration hungAfter,
        boolean abortTerminalWrites,
        BreakerSettings breaker,
        Duration retention) {

    /** A retention without end: the inbox is never cleaned up. */
    public static final Duration FOREVER = ChronoUnit.FOREVER.getDuration();

    /**
     * Checks every setting.
     *
     * @throws IllegalArgumentException naming the setting, its value and the rule
     */
    public ConsumerSettings {
        between("chunkMax", chunkMax, 1, 500);
        between("lanesMax", lanesMax, 1, 64);
        between("contentionRetriesMax", contentionRetriesMax, 0, 100);
        between("lockTimeout", lockTimeout, Duration.ofMillis(1), Duration.ofMinutes(5));
        between("storeBackoffMax", storeBackoffMax, Duration.ofMillis(100), Duration.ofMinutes(10));
        between("drainTimeout", drainTimeout, Duration.ZERO, Duration.ofMinutes(30));
        between("sessionTimeout", sessionTimeout, Duration.ofSeconds(6), Duration.ofMinutes(5));
        between("waitingMax", waitingMax, 1, 100_000);
        between("hungAfter", hungAfter, Duration.ofMillis(100), Duration.ofHours(24));
        if (!retention.equals(FOREVER)) {
            between("retention", retention, Duration.ofHours(1), Duration.ofDays(3_650));
        }
    }

    /** What the parameters name as their defaults. */
    public static ConsumerSettings defaults() {
        return new ConsumerSettings(
                50,
                4,
                Duration.ofSeconds(10),
                5,
                Duration.ofSeconds(30),
                Duration.ofSeconds(30),
                Duration.ofSeconds(10),
                1_000,
                Duration.ofMinutes(1),
                false,
                BreakerSettings.defaults(),
                Duration.ofDays(30));
    }

    /** The same with that many records to a transaction. */
    public ConsumerSettings withChunkMax(int records) {
        return new ConsumerSettings(
                records,
                lanesMax,
                lockTimeout,
                contentionRetriesMax,
                storeBackoffMax,
                drainTimeout,
                sessionTimeout,
                waitingMax,
                hungAfter,
                abortTerminalWrites,
                breaker,
                retention);
    }

    /** The same with that many partitions at a time. */
    public ConsumerSettings withLanesMax(int lanes) {
        return new ConsumerSettings(
                chunkMax,
                lanes,
                lockTimeout,
                contentionRetriesMax,
                storeBackoffMax,
                drainTimeout,
                sessionTimeout,
                waitingMax,
                hungAfter,
                abortTerminalWrites,
                breaker,
                retention);
    }

    /** The same with that bound on waiting for a lock. */
    public ConsumerSettings withLockTimeout(Duration timeout) {
        return new ConsumerSettings(
                chunkMax,
                lanesMax,
                timeout,
                contentionRetriesMax,
                storeBackoffMax,
                drainTimeout,
                sessionTimeout,
                waitingMax,
                hungAfter,
                abortTerminalWrites,
                breaker,
                retention);
    }

    /** The same with that many immediate retries after contention. */
    public ConsumerSettings withContentionRetriesMax(int retries) {
        return new ConsumerSettings(
                chunkMax,
                lanesMax,
                lockTimeout,
                retries,
                storeBackoffMax,
                drainTimeout,
                sessionTimeout,
                waitingMax,
                hungAfter,
                abortTerminalWrites,
                breaker,
                retention);
    }

    /** The same with that longest pause while a store is away. */
    public ConsumerSettings withStoreBackoffMax(Duration max) {
        return new ConsumerSettings(
                chunkMax,
                lanesMax,
                lockTimeout,
                contentionRetriesMax,
                max,
                drainTimeout,
                sessionTimeout,
                waitingMax,
                hungAfter,
                abortTerminalWrites,
                breaker,
                retention);
    }

    /** The same with that bound on a drain. */
    public ConsumerSettings withDrainTimeout(Duration timeout) {
        return new ConsumerSettings(
                chunkMax,
                lanesMax,
                lockTimeout,
                contentionRetriesMax,
                storeBackoffMax,
                timeout,
                sessionTimeout,
                waitingMax,
                hungAfter,
                abortTerminalWrites,
                breaker,
                retention);
    }

    /** The same with that patience of Kafka's with a silent member. */
    public ConsumerSettings withSessionTimeout(Duration timeout) {
        return new ConsumerSettings(
                chunkMax,
                lanesMax,
                lockTimeout,
                contentionRetriesMax,
                storeBackoffMax,
                drainTimeout,
                timeout,
                waitingMax,
                hungAfter,
                abortTerminalWrites,
                breaker,
                retention);
    }

    /** The same with that many messages behind one key. */
    public ConsumerSettings withWaitingMax(int messages) {
        return new ConsumerSettings(
                chunkMax,
                lanesMax,
                lockTimeout,
                contentionRetriesMax,
                storeBackoffMax,
                drainTimeout,
                sessionTimeout,
                messages,
                hungAfter,
                abortTerminalWrites,
                breaker,
                retention);
    }

    /** The same with that patience before a message is named as hung. */
    public ConsumerSettings withHungAfter(Duration time) {
        return new ConsumerSettings(
                chunkMax,
                lanesMax,
                lockTimeout,
                contentionRetriesMax,
                storeBackoffMax,
                drainTimeout,
                sessionTimeout,
                waitingMax,
                time,
                abortTerminalWrites,
                breaker,
                retention);
    }

    /** The same with that rule for the end of a drain. */
    public ConsumerSettings withAbortTerminalWrites(boolean abort) {
        return new ConsumerSettings(
                chunkMax,
                lanesMax,
                lockTimeout,
                contentionRetriesMax,
                storeBackoffMax,
                drainTimeout,
                sessionTimeout,
                waitingMax,
                hungAfter,
                abort,
                breaker,
                retention);
    }

    /** The same with that breaker. */
    public ConsumerSettings withBreaker(BreakerSettings settings) {
        return new ConsumerSettings(
                chunkMax,
                lanesMax,
                lockTimeout,
                contentionRetriesMax,
                storeBackoffMax,
                drainTimeout,
                sessionTimeout,
                waitingMax,
                hungAfter,
                abortTerminalWrites,
                settings,
                retention);
    }

    /** The same with that memory of what is completed. */
    public ConsumerSettings withRetention(Duration kept) {
        return new ConsumerSettings(
                chunkMax,
                lanesMax,
                lockTimeout,
                contentionRetriesMax,
                storeBackoffMax,
                drainTimeout,
                sessionTimeout,
                waitingMax,
                hungAfter,
                abortTerminalWrites,
                breaker,
                kept);
    }

    /** How long the inbox remembers; null: for ever. */
    public @Nullable Duration retentionOrNull() {
        return retention.equals(FOREVER) ? null : retention;
    }

    private static void between(String name, int value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(name + " is " + value + ", but must be from " + min + " to " + max);
        }
    }

    private static void between(String name, Duration value, Duration min, Duration max) {
        if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
            throw new IllegalArgumentException(name + " is " + value + ", but must be from " + min + " to " + max);
        }
    }
}
