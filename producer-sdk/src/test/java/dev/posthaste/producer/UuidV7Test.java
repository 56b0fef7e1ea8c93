package dev.posthaste.producer;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class UuidV7Test {

    private static final Instant NOW = Instant.parse("2026-03-04T05:06:07.890Z");

    private static Clock at(Instant instant) {
        return Clock.fixed(instant, ZoneOffset.UTC);
    }

    private static long millisOf(UUID id) {
        return id.getMostSignificantBits() >>> 16;
    }

    @Test
    void versionVariantAndTimeAreWhereTheRfcHasThem() {
        UUID id = new UuidV7(at(NOW), new Random(1)).next();

        assertThat(id.version()).isEqualTo(7);
        assertThat(id.variant()).isEqualTo(2);
        assertThat(millisOf(id)).isEqualTo(NOW.toEpochMilli());
    }

    @Test
    void idsGrowWhileTheClockStandsStillAndTheCounterOverflows() {
        UuidV7 ids = new UuidV7(at(NOW), new Random(1));
        List<UUID> made = IntStream.range(0, 20_000).mapToObj(i -> ids.next()).toList();

        assertThat(made).isSorted().doesNotHaveDuplicates();
        assertThat(millisOf(made.get(19_999)))
                .as("the time runs ahead by a few milliseconds")
                .isBetween(NOW.toEpochMilli() + 4, NOW.toEpochMilli() + 6);
    }

    @Test
    void idsGrowWhenTheClockIsSetBack() {
        List<Instant> times = new ArrayList<>(List.of(NOW, NOW.minusSeconds(3600), NOW.minusSeconds(7200)));
        UuidV7 ids = new UuidV7(new ListClock(times), new Random(1));

        assertThat(List.of(ids.next(), ids.next(), ids.next())).isSorted().doesNotHaveDuplicates();
        assertThat(times).as("every time was asked for").isEmpty();
    }

    @Test
    void manyThreadsGetDifferentIds() {
        UuidV7 ids = new UuidV7(Clock.systemUTC(), new Random(1));
        Set<UUID> made = ConcurrentHashMap.newKeySet();
        IntStream.range(0, 50_000).parallel().forEach(i -> made.add(ids.next()));

        assertThat(made).hasSize(50_000);
    }

    @Test
    void theRandomPartsDiffer() {
        UuidV7 ids = new UuidV7(at(NOW), new Random(1));
        List<Long> low = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            low.add(ids.next().getLeastSignificantBits());
        }
        assertThat(Collections.max(low)).isNotEqualTo(Collections.min(low));
        assertThat(low).doesNotHaveDuplicates();
    }

    /** Tells each time of a list once. */
    private static final class ListClock extends Clock {
        private final List<Instant> times;

        ListClock(List<Instant> times) {
            this.times = times;
        }

        @Override
        public Instant instant() {
            return times.remove(0);
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }
    }
}
