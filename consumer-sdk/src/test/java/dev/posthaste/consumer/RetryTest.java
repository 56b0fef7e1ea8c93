package dev.posthaste.consumer;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.apache.kafka.clients.admin.MemberDescription;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;

import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.ReportedCase;
import dev.posthaste.testkit.Stack;

import static dev.posthaste.consumer.Handler.handler;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** When retries run, and what they cost. Times are the database's; lateness is printed, being early is a failure. */
@PosthasteStack
class RetryTest {

    private static final boolean FULL = Boolean.getBoolean("posthaste.full");

    private static ConditionFactory soon() {
        return await().atMost(Duration.ofSeconds(60));
    }

    private static List<TestMessage> loans(int from, int to) {
        return IntStream.rangeClosed(from, to)
                .mapToObj(n -> TestMessage.of(new Loan("member-" + n, n)))
                .toList();
    }

    /** Its first attempt asks for a delay, the next one is done. */
    private static Handler oncePutOff(IntFunction<Duration> delay) {
        return handler("due-notice").on(Loan.TYPE, 1, Loan.class).decide((event, tx) -> {
            if (tx.delivery().attempt() == 1) {
                return Outcome.retryAfter(delay.apply(event.payload().n()));
            }
            Scene.write("due-notice", event, tx);
            return Outcome.done();
        });
    }

    private static Duration random(long fromMillis, long toMillis) {
        return Duration.ofMillis(ThreadLocalRandom.current().nextLong(fromMillis, toMillis));
    }

    @Test
    void noticeRetriesWhileStatisticsStaysComplete(Stack stack) throws Exception {
        AtomicInteger statistics = new AtomicInteger();
        Handler counting = handler("statistics").on(Loan.TYPE, 1, Loan.class).handle((event, tx) -> {
            statistics.incrementAndGet();
            Scene.write("statistics", event, tx);
        });
        try (Scene scene = Scene.open(stack, 1, "due-notice", "statistics")) {
            List<TestMessage> loans = loans(1, 20);
            scene.publish("due-notice", 0, loans);
            scene.publish("statistics", 0, loans);
            scene.start(oncePutOff(n -> Duration.ofSeconds(2)), counting);

            soon().until(() -> scene.inState("due-notice", "failed") == 20);
            soon().until(() -> scene.completed("statistics").size() == 20);
            soon().until(() -> scene.completed("due-notice").size() == 20);
            assertThat(statistics)
                    .as("each once, though the other handler's failed")
                    .hasValue(20);
            assertThat(scene.query("SELECT DISTINCT attempt FROM inbox.delivery WHERE handler = 'statistics'"))
                    .containsExactly("1");
            assertThat(scene.query("SELECT DISTINCT attempt FROM inbox.delivery WHERE handler = 'due-notice'"))
                    .containsExactly("2");
            assertThat(scene.records(scene.topic("statistics") + ".retry")).isEmpty();
        }
    }

    @ReportedCase(25)
    @Test
    void pendingRetriesRunWhenTheyAreDueThoughInstancesRollAndPartitionsMove(Stack stack) throws Exception {
        try (Scene scene = Scene.open(stack, 3, "due-notice")) {
            Lateness lateness = Lateness.watch(scene);
            Handler handler = oncePutOff(n -> random(2_000, 15_000));
            PosthasteConsumer first = scene.start(handler);
            for (int partition = 0; partition < 3; partition++) {
                scene.publish("due-notice", partition, loans(partition * 100 + 1, (partition + 1) * 100));
            }
            soon().until(() -> scene.inState("due-notice", "failed") + lateness.retries() >= 300);

            PosthasteConsumer second = scene.start(handler);
            soon().until(() ->
                    second.health().handlers().get(0).partitions().stream().anyMatch(p -> !p.contains(".retry-")));
            first.close();
            PosthasteConsumer third = scene.start(handler);
            soon().until(() ->
                    third.health().handlers().get(0).partitions().stream().anyMatch(p -> !p.contains(".retry-")));
            second.close();
            assertThat(scene.completed("due-notice"))
                    .as("they moved while retries waited")
                    .hasSizeLessThan(300);

            soon().until(() -> scene.completed("due-notice").size() == 300);
            lateness.requireNoneEarly();
            assertThat(lateness.retries()).isEqualTo(300);
            lateness.print("Instances roll (reported case 25: at most 5000 ms)");
        }
    }

    @ReportedCase(32)
    @Test
    void noMemberLeavesTheGroupForADelayOrASlowHandler(Stack stack) throws Exception {
        Duration pollInterval = FULL ? Duration.ofMinutes(5) : Duration.ofSeconds(2);
        Duration delay = FULL ? Duration.ofMinutes(10) : Duration.ofSeconds(5);
        Duration work = FULL ? Duration.ofMinutes(6) : Duration.ofSeconds(4);
        RetryPolicy anHour = new RetryPolicy(3, Duration.ofMillis(200), Duration.ofSeconds(1), Duration.ofHours(1));
        Handler slow = handler("due-notice").on(Loan.TYPE, 1, Loan.class).decide((event, tx) -> {
            if (tx.delivery().attempt() == 1) {
                return Outcome.retryAfter(delay);
            }
            try (var sleep = tx.connection().createStatement()) {
                sleep.execute("SELECT pg_sleep(" + work.toSeconds() + ")");
            }
            Scene.write("due-notice", event, tx);
            return Outcome.done();
        });
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            scene.publish("due-notice", 0, loans(1, 1));
            PosthasteConsumer consumer = scene.start(scene.builder(Catalogs.retrying("due-notice", anHour), slow)
                    .kafka(Map.of("max.poll.interval.ms", "" + pollInterval.toMillis())));
            soon().until(() -> scene.inState("due-notice", "failed") == 1);
            soon().until(() -> members(scene).size() == 2);
            Set<String> before = members(scene);

            await().atMost(delay.plus(work).plusSeconds(60))
                    .until(() -> scene.completed("due-notice").size() == 1);
            assertThat(members(scene))
                    .as("one who leaves comes back under another id")
                    .isEqualTo(before);
            assertThat(scene.attempts("due-notice", "completed")).isEqualTo(1);
            assertThat(consumer.health().isReady()).isTrue();
        }
    }

    private static Set<String> members(Scene scene) throws Exception {
        Set<String> groups = Set.of(scene.topic("due-notice"), scene.topic("due-notice") + ".retry");
        Set<String> ids = new HashSet<>();
        for (var group : scene.admin.describeConsumerGroups(groups).all().get().values()) {
            ids.addAll(
                    group.members().stream().map(MemberDescription::consumerId).toList());
        }
        return ids;
    }

    @ReportedCase(33)
    @Test
    void failuresWithMixedDelaysAreNeverRetriedEarlyAndFarOnesHoldUpNoNearOnes(Stack stack) throws Exception {
        int near = FULL ? 10_000 : 1_000;
        int far = near / 20;
        try (Scene scene = Scene.open(stack, 3, "due-notice")) {
            Lateness lateness = Lateness.watch(scene);
            for (int partition = 0; partition < 3; partition++) {
                int share = partition;
                scene.publish(
                        "due-notice",
                        partition,
                        loans(1, near + far).stream()
                                .filter(loan -> Math.floorMod(loan.key().hashCode(), 3) == share)
                                .toList());
            }
            // Those that are far come first, so all the near ones are written down after them.
            scene.start(oncePutOff(n -> n <= far ? Duration.ofMinutes(9) : random(1, 5_000)));

            await().atMost(Duration.ofMinutes(3))
                    .until(() -> scene.completed("due-notice").size() == near);
            lateness.requireNoneEarly();
            assertThat(lateness.retries()).isEqualTo(near);
            assertThat(scene.inState("due-notice", "failed"))
                    .as("the far ones still wait")
                    .isEqualTo(far);
            lateness.print("Mixed delays (reported case 33: 99th percentile below 1000 ms)");
        }
    }

    @ReportedCase(39)
    @Test
    void twentyAttemptsTakeNoFurtherTopicNorHeader(Stack stack) throws Exception {
        RetryPolicy twenty = new RetryPolicy(20, Duration.ofMillis(1), Duration.ofMillis(5), Duration.ofMinutes(5));
        Handler fails = handler("due-notice").on(Loan.TYPE, 1, Loan.class).decide((event, tx) -> {
            if (event.payload().n() == 1) {
                return Outcome.dead("at-once", "as a measure");
            }
            throw new IllegalStateException("member-2 cannot be told");
        });
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            Set<String> topics = topics(scene);
            List<TestMessage> loans = loans(1, 2);
            scene.publish("due-notice", 0, loans);
            scene.start(scene.builder(Catalogs.retrying("due-notice", twenty), fails));

            soon().until(() -> scene.deadLetters("due-notice").size() == 2);
            assertThat(topics(scene)).isEqualTo(topics).hasSize(3);
            var letters = scene.deadLetters("due-notice");
            assertThat(letters.stream().map(letter -> Scene.header(letter, "posthaste_attempt")))
                    .containsExactlyInAnyOrder("1", "20");
            assertThat(letters.stream()
                            .map(letter ->
                                    new TreeSet<>(List.of(letter.headers().toArray()).stream()
                                            .map(header -> header.key())
                                            .toList())))
                    .as("the same headers after twenty attempts as after one")
                    .allMatch(new TreeSet<>(List.of(letters.get(0).headers().toArray()).stream()
                            .map(header -> header.key())
                            .toList())::equals);
            for (var letter : letters) {
                assertThat(letter.headers().toArray())
                        .as("each once")
                        .hasSize(loans.get(0).headers().size() + 4);
                TestMessage staged = loans.stream()
                        .filter(loan -> loan.id().toString().equals(Scene.header(letter, "ce_id")))
                        .findFirst()
                        .orElseThrow();
                assertThat(letter.value()).as("byte for byte").isEqualTo(staged.value());
                assertThat(Scene.header(letter, "posthaste_error"))
                        .doesNotContain("member-2")
                        .hasSizeLessThan(1_100);
            }
        }
    }

    private static Set<String> topics(Scene scene) throws Exception {
        return scene.admin.listTopics().names().get().stream()
                .filter(topic -> topic.startsWith(scene.namespace))
                .collect(Collectors.toSet());
    }

    @ReportedCase(39)
    @Test
    void aThousandThatFailTogetherAreSpreadOverTheWholeWindow(Stack stack) throws Exception {
        RetryPolicy window = new RetryPolicy(3, Duration.ofMinutes(1), Duration.ofMinutes(1), Duration.ofMinutes(9));
        Handler fails = handler("due-notice").on(Loan.TYPE, 1, Loan.class).handle((event, tx) -> {
            throw new IllegalStateException("the provider is away");
        });
        try (Scene scene = Scene.open(stack, 2, "due-notice")) {
            scene.publish("due-notice", 0, loans(1, 500));
            scene.publish("due-notice", 1, loans(501, 1_000));
            // As many may fail alike as do here, or it would be taken for an outage.
            scene.start(scene.builder(Catalogs.retrying("due-notice", window), fails)
                    .settings(ConsumerSettings.defaults()
                            .withBreaker(new BreakerSettings(100_000, Duration.ofSeconds(30)))));
            soon().until(() -> scene.query("SELECT entry FROM inbox.journal WHERE attempt = 1")
                            .size()
                    == 1_000);

            List<String> sixths = scene.query("""
                    SELECT count(*) FROM inbox.delivery d JOIN inbox.journal j USING (message_id)
                    WHERE j.attempt = 1 AND d.attempt = 1
                    GROUP BY floor(extract(epoch FROM d.next_attempt - j.at) / 10) ORDER BY 1""");
            assertThat(sixths.stream().mapToInt(Integer::parseInt).filter(count -> count > 100))
                    .as("of each sixth of the minute, about 166: full jitter; the first may have begun to run")
                    .hasSizeBetween(5, 6);
        }
    }

    @Test
    void oneThatWaitsIsNotReadUntilItIsDueHoweverManyWait(Stack stack) throws Exception {
        int waiting = FULL ? 100_000 : 20_000;
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            WaitingRows.insert(scene, "due-notice", waiting, 100, "1 hour");
            long readBefore = read(scene);
            scene.start(oncePutOff(n -> Duration.ofMillis(500)));
            scene.publish("due-notice", 0, loans(1, 50));
            soon().until(() -> scene.completed("due-notice").size() == 50);
            long looksBefore = looks(scene);
            soon().until(() -> looks(scene) > looksBefore + 20);

            assertThat(read(scene) - readBefore)
                    .as("index entries read by all the looks")
                    .isLessThan(waiting);
            assertThat(scene.inState("due-notice", "failed")).isEqualTo(waiting);
        }
    }

    private static long looks(Scene scene) {
        return Long.parseLong(
                scene.query("SELECT idx_scan FROM pg_stat_user_indexes WHERE indexrelname = 'outgoing_due'")
                        .get(0));
    }

    private static long read(Scene scene) {
        return Long.parseLong(
                scene.query("SELECT idx_tup_read FROM pg_stat_user_indexes WHERE indexrelname = 'outgoing_due'")
                        .get(0));
    }

    /** What waits is larger than the heap; all of it becomes due at once. */
    @Test
    void whatWaitsTakesNoMemory(Stack stack) throws Exception {
        int waiting = FULL ? 100_000 : 8_000;
        try (Scene scene = Scene.open(stack, 2, "due-notice")) {
            WaitingRows.insert(scene, "due-notice", waiting, FULL ? 4_000 : 16_000, "2 seconds");
            try (MemberProcess member = MemberProcess.start(
                    scene, RetryingMember.class, Map.of(), "-Xmx64m", "-XX:+ExitOnOutOfMemoryError")) {
                await().atMost(Duration.ofMinutes(FULL ? 10 : 2)).until(() -> {
                    assertThat(member.isAlive()).as("64 MiB are enough").isTrue();
                    return scene.query("SELECT message_id FROM inbox.outgoing LIMIT 1")
                            .isEmpty();
                });
                member.kill();
            }
            assertThat(scene.query("SELECT count(DISTINCT message_id) || ' ' || count(*) FROM effect"))
                    .containsExactly(waiting + " " + waiting);
        }
    }
}
