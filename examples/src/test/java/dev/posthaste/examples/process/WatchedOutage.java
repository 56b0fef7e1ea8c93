package dev.posthaste.examples.process;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

import dev.posthaste.relay.publishing.Position;
import dev.posthaste.testkit.faults.StoreLink;

import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Watches a relay process through outages of one of its stores, and holds it to what it promises meanwhile: not ready,
 * the store's gauge at 0, nothing published, nothing read from the WAL, no failed attempt, few lines, no memory, and on
 * it goes by itself. Used by one thread.
 */
final class WatchedOutage {

    /** Five minutes under {@code -Pfull}; in the suite a little longer than the longest pause between two tries. */
    static final Duration LONG = Boolean.getBoolean("posthaste.full") ? Duration.ofMinutes(5) : Duration.ofSeconds(11);

    static final Duration SHORT = Duration.ofSeconds(4);

    /** The tries begin close together; later they are seconds apart, with a few lines each. */
    private static final int FIRST_LINES_MAX = 30;

    private static final int LINES_PER_MINUTE_MAX = 40;
    private static final long HEAP_GROWTH_MAX = 24L << 20;
    /** Lease, control, evidence, and the engine's four, the last of which it opens at its first heartbeat. */
    private static final int SESSIONS_MAX = 7;

    private static final int SLOW_BYTES_PER_SECOND = 512 << 10;

    private static final Duration NOTICED_TIMEOUT = Duration.ofSeconds(60);

    private final RelayProcess relay;
    private final ProcessOutbox outbox;
    private final String store;
    private final String other;
    private final long heapBefore;
    private final Map<String, Long> threadsBefore;

    private WatchedOutage(RelayProcess relay, ProcessOutbox outbox, String store, String other) {
        this.relay = relay;
        this.outbox = outbox;
        this.store = store;
        this.other = other;
        this.heapBefore = relay.heap();
        this.threadsBefore = threadsByKind();
        assertThat(threadsBefore).as("threads that are told apart").containsKeys("main", "posthaste-relay");
    }

    /** Of PostgreSQL, for a relay that streams. */
    static WatchedOutage ofPostgres(RelayProcess relay, ProcessOutbox outbox) {
        return new WatchedOutage(relay, outbox, "postgresql", "kafka");
    }

    /** Of Kafka, for a relay that streams. */
    static WatchedOutage ofKafka(RelayProcess relay, ProcessOutbox outbox) {
        return new WatchedOutage(relay, outbox, "kafka", "postgresql");
    }

    /** Something done to a store. */
    @FunctionalInterface
    interface Act {
        void run() throws Exception;
    }

    /**
     * Watches one outage.
     *
     * @param note what the relay says of it
     * @param length counted from when the relay has noticed it
     */
    void watch(String name, Duration length, String note, Act begin, Act end) throws Exception {
        relay.awaitStreaming();
        long batch = outbox.batches();
        double failed = failedAttempts();
        long began = System.nanoTime();
        begin.run();
        await(name).atMost(NOTICED_TIMEOUT).until(() -> relay.ready().status() == 503);
        long unready = System.nanoTime();
        await(name).atMost(NOTICED_TIMEOUT).untilAsserted(() -> {
            requireAway();
            assertThat(relay.ready().body()).contains(note);
        });
        assertThat(available(other)).as("the other store's gauge").isEqualTo(1);

        Optional<Position> position = outbox.position();
        long lines = relay.process().errLines();
        await(name)
                .pollInterval(Duration.ofMillis(200))
                .during(length)
                .atMost(length.plus(NOTICED_TIMEOUT))
                .untilAsserted(this::requireAway);
        long logged = relay.process().errLines() - lines;
        assertThat(outbox.position()).as("%s: the position", name).isEqualTo(position);
        assertThat(logged)
                .as(
                        "%s: lines logged in %s; it said: %s",
                        name, length, relay.process().err())
                .isLessThanOrEqualTo(FIRST_LINES_MAX + LINES_PER_MINUTE_MAX * length.toSeconds() / 60);
        assertThat(relay.live().status()).isEqualTo(200);
        long heap = relay.heap();

        end.run();
        long ended = System.nanoTime();
        relay.awaitStreaming();
        outbox.awaitBatchAfter(batch);
        long back = System.nanoTime();
        assertThat(failedAttempts()).as("%s: failed attempts", name).isEqualTo(failed);
        System.out.printf(
                Locale.ROOT,
                "%s for %d s: unready after %d ms, back after %d ms, %d lines, heap %d MiB (before: %d), %.0f threads%n",
                name,
                length.toSeconds(),
                NANOSECONDS.toMillis(unready - began),
                NANOSECONDS.toMillis(back - ended),
                logged,
                heap >> 20,
                heapBefore >> 20,
                threads());
        assertThat(heap).as("%s: heap in use", name).isLessThan(heapBefore + HEAP_GROWTH_MAX);
    }

    private void requireAway() {
        assertThat(relay.ready().status()).isEqualTo(503);
        assertThat(available(store)).as("the gauge of %s", store).isZero();
        assertThat(relay.meter("posthaste_relay_leading")).isZero();
    }

    /** Heals the link afterwards. */
    void requireSlowIsNotAway(StoreLink link, Duration delay) {
        relay.awaitStreaming();
        long fence = outbox.fence();
        link.slow(delay, SLOW_BYTES_PER_SECOND);
        outbox.awaitBatchAfter(outbox.batches() + 10);
        assertThat(outbox.fence()).as("it leads on").isEqualTo(fence);
        assertThat(relay.ready().status()).isEqualTo(200);
        link.heal();
    }

    /** Everything up to that number is published and proved once, at the first attempt. */
    static void requireNothingLostOrDoubled(ProcessOutbox outbox, int last) {
        outbox.requireOnEveryTopic(last);
        outbox.requireProvedOnce(last);
        assertThat(outbox.number("SELECT max(attempt) FROM outbox.dispatch_batch"))
                .as("an outage spends no attempt")
                .isOne();
        assertThat(outbox.number("SELECT count(*) FROM outbox.quarantined")).isZero();
    }

    /** No thread and no session is left of the terms that failed. */
    void requireNothingLeft() {
        await().pollInterval(Duration.ofSeconds(1)).atMost(NOTICED_TIMEOUT).untilAsserted(() -> {
            Map<String, Long> more = new TreeMap<>(threadsByKind());
            more.entrySet()
                    .removeIf(kind -> kind.getValue() <= Math.max(1, threadsBefore.getOrDefault(kind.getKey(), 0L)));
            assertThat(more).as("threads of which there are more than before").isEmpty();
            assertThat(sessions()).hasSizeLessThanOrEqualTo(SESSIONS_MAX);
        });
    }

    /**
     * Some begin when they are first needed, so their number alone tells nothing; a term that is left has each twice.
     */
    private Map<String, Long> threadsByKind() {
        return relay.process().threadNames().stream()
                .collect(groupingBy(name -> name.replaceAll("\\d+", "N"), counting()));
    }

    private List<String> sessions() {
        return outbox.texts("SELECT application_name FROM pg_stat_activity WHERE usename = '" + outbox.role()
                + "' ORDER BY application_name");
    }

    private double available(String which) {
        return relay.meter("posthaste_store_available{store=\"" + which + "\"}");
    }

    private double failedAttempts() {
        return relay.meter("posthaste_batch_attempts_total{outcome=\"failed\"}");
    }

    private double threads() {
        return relay.meter("jvm_threads_live_threads");
    }
}
