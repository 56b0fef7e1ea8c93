package dev.posthaste.producer;

import java.time.Clock;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;

/**
 * Time-ordered ids, RFC 9562 version 7: 48 bits of milliseconds, a 12-bit counter (section 6.2, method 1: it starts at
 * a random value every millisecond), 62 random bits. Each id is greater than those before it, also when the clock is
 * set back and when a millisecond's counter overflows: then the time in the id runs ahead. Thread-safe.
 */
final class UuidV7 {

    private static final int COUNTER_BITS = 12;

    /** The counter's first bit starts at 0, which leaves room for 2,048 ids of one millisecond at least. */
    private static final int FIRST_COUNT_BOUND = 1 << (COUNTER_BITS - 1);

    private static final long VERSION = 0x7000L;
    private static final long VARIANT = 0x8000_0000_0000_0000L;
    private static final long RANDOM_MASK = 0x3FFF_FFFF_FFFF_FFFFL;

    private final Clock clock;
    private final RandomGenerator random;

    /** Milliseconds and counter of the last id in one number, so that the next one is simply greater. */
    private final AtomicLong last = new AtomicLong();

    UuidV7(Clock clock, RandomGenerator random) {
        this.clock = clock;
        this.random = random;
    }

    UUID next() {
        long now = (clock.millis() << COUNTER_BITS) | random.nextInt(FIRST_COUNT_BOUND);
        long ticks = last.updateAndGet(before -> Math.max(before + 1, now));
        long counter = ticks & ((1L << COUNTER_BITS) - 1);
        long high = (ticks >>> COUNTER_BITS) << 16 | VERSION | counter;
        return new UUID(high, VARIANT | (random.nextLong() & RANDOM_MASK));
    }
}
