package dev.posthaste.consumer.internal;

import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;

import dev.posthaste.consumer.BreakerSettings;

import static org.assertj.core.api.Assertions.assertThat;

/** A lane by itself, with a schedule of the test's choosing. */
class LaneTest {

    private static final int SEEDS = 300;
    private static final int RECORDS = 1_500;

    /** Strands that are to be run, in any order the test likes. */
    private final List<Runnable> scheduled = new ArrayList<>();

    private Lane lane(Chunks runner, int strands, int chunkMax) {
        Lane lane = new Lane(
                "due-notice",
                new TopicPartition("library.due-notice", 0),
                runner,
                new LaneWidth(strands, chunkMax),
                scheduled::add,
                new StoreGate("the inbox", Duration.ofSeconds(1), System::nanoTime),
                new Breaker(
                        "due-notice",
                        BreakerSettings.defaults(),
                        Duration.ofHours(1),
                        System::nanoTime,
                        Clock.systemUTC()),
                Clock.systemUTC());
        lane.start();
        return lane;
    }

    private static ConsumerRecord<byte[], byte[]> record(long offset, String key) {
        return new ConsumerRecord<>(
                "library.due-notice", 0, offset, key.getBytes(StandardCharsets.UTF_8), new byte[10]);
    }

    private static List<Long> offsets(List<ConsumerRecord<byte[], byte[]>> records) {
        return records.stream().map(ConsumerRecord::offset).toList();
    }

    private void runAll(Random random) {
        while (!scheduled.isEmpty()) {
            scheduled.remove(random.nextInt(scheduled.size())).run();
        }
    }

    @Test
    void theFinishedOffsetIsBeforeTheFirstRecordInHandWhateverIsFinishedBehindIt() {
        Lane lane = lane((records, suspect) -> new ChunkResult(records.size(), new ChunkResult.Done()), 2, 10);
        List<String> keys = keysOfDifferentStrands();
        lane.add(List.of(record(10, keys.get(0)), record(11, keys.get(1)), record(12, keys.get(1))));
        lane.wake();
        assertThat(scheduled).hasSize(2);

        scheduled.remove(1).run();
        assertThat(lane.finishedOffset()).as("10 is in hand").isEqualTo(-1);
        assertThat(lane.isIdle()).isFalse();
        scheduled.remove(0).run();
        assertThat(lane.finishedOffset()).isEqualTo(13);
        assertThat(lane.isIdle()).isTrue();
    }

    /** Two keys that a lane of two strands puts into the first and the second one. */
    private List<String> keysOfDifferentStrands() {
        List<String> first = new ArrayList<>();
        Lane lane = lane(
                (records, suspect) -> {
                    first.add(new String(records.get(0).key(), StandardCharsets.UTF_8));
                    return new ChunkResult(records.size(), new ChunkResult.Done());
                },
                2,
                100);
        for (int i = 0; i < 20; i++) {
            lane.add(List.of(record(i, "member-" + i)));
        }
        lane.wake();
        assertThat(scheduled).as("keys are spread over both").hasSize(2);
        scheduled.forEach(Runnable::run);
        scheduled.clear();
        return first;
    }

    @Test
    void noMoreIsFetchedThanTheBoundsAllow() {
        Lane lane = lane((records, suspect) -> new ChunkResult(records.size(), new ChunkResult.Done()), 4, 10);
        for (int i = 0; i < 199; i++) {
            lane.add(List.of(record(i, "member-" + i)));
        }
        assertThat(lane.wantsMore()).isTrue();
        lane.add(List.of(record(199, "member-199")));
        assertThat(lane.wantsMore()).isFalse();
        lane.wake();
        runAll(new Random(1));
        assertThat(lane.wantsMore()).isTrue();

        byte[] large = new byte[5 * 1024 * 1024];
        lane.add(List.of(new ConsumerRecord<>(
                "library.due-notice",
                0,
                200,
                0L,
                TimestampType.CREATE_TIME,
                1,
                large.length,
                new byte[1],
                large,
                new RecordHeaders(),
                Optional.empty())));
        assertThat(lane.wantsMore()).as("bytes count as well").isFalse();
    }

    /** One process of the model: it has records in hand at the same time, and may end at any moment. */
    private final class Process implements Chunks {

        private final Random random;
        private final Set<Long> completed;
        private final int untilDeath;
        private final Set<Long> inHand = new HashSet<>();
        private final List<Long> suspected = new ArrayList<>();
        private final List<Long> unsuspected = new ArrayList<>();
        private final List<Long> ran = new ArrayList<>();
        private int steps;
        private boolean dead;

        Process(Random random, Set<Long> completed, int untilDeath) {
            this.random = random;
            this.completed = completed;
            this.untilDeath = untilDeath;
        }

        @Override
        public ChunkResult run(List<ConsumerRecord<byte[], byte[]>> records, boolean suspect) {
            List<Long> offsets = offsets(records);
            (suspect ? suspected : unsuspected).addAll(offsets);
            inHand.addAll(offsets);
            while (!dead && !scheduled.isEmpty() && random.nextInt(3) > 0) {
                scheduled.remove(random.nextInt(scheduled.size())).run(); // at the same time
            }
            int done = 0;
            int begun = 0;
            while (!dead && done < records.size()) {
                long offset = offsets.get(done);
                if (completed.add(offset)) {
                    ran.add(offset);
                    begun += suspect ? 1 : 0;
                }
                done++;
                dead = ++steps == untilDeath;
            }
            if (dead) {
                return new ChunkResult(0, new ChunkResult.Abandoned());
            }
            inHand.removeAll(offsets);
            return new ChunkResult(done, begun, new ChunkResult.Done());
        }
    }

    private static String keyOf(long offset) {
        return "member-" + (offset % 7 == 0 ? 0 : offset % 13); // one of them comes often
    }

    private long live(Lane lane, Process process, long from) {
        long next = from;
        while (!process.dead && (next < RECORDS || !lane.isIdle())) {
            while (lane.wantsMore() && next < RECORDS) {
                lane.add(List.of(record(next, keyOf(next))));
                next++;
            }
            lane.wake();
            if (!scheduled.isEmpty()) {
                scheduled.remove(process.random.nextInt(scheduled.size())).run();
            }
        }
        scheduled.clear();
        return Math.max(lane.finishedOffset(), from);
    }

    @Test
    void whateverADeadProcessHadInHandIsSuspectToTheNextOne() {
        int inHandAtDeath = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            int strands = 1 + random.nextInt(6);
            int chunkMax = 1 + random.nextInt(60);
            Set<Long> completed = new HashSet<>();
            long committed = 0;
            for (int life = 0; life < 3; life++) {
                Process process = new Process(random, completed, 1 + random.nextInt(RECORDS / 3));
                long finished = live(lane(process, strands, chunkMax), process, committed);
                committed += random.nextInt((int) (finished - committed) + 1); // commits lag behind
                Set<Long> suspects = new HashSet<>(process.inHand);
                suspects.removeAll(completed);
                inHandAtDeath += suspects.size();

                Set<Long> copy = new HashSet<>(completed);
                Process next = new Process(new Random(seed), copy, -1);
                live(lane(next, strands, chunkMax), next, committed);
                assertThat(next.suspected)
                        .as("seed %s, %s strands of %s", seed, strands, chunkMax)
                        .containsAll(suspects);
                assertThat(copy).as("everything is run in the end").hasSize(RECORDS);
            }
        }
        assertThat(inHandAtDeath).as("it did die with records in hand").isGreaterThan(SEEDS);
    }

    @Test
    void keysRunInOrderWhateverTheScheduleAndSuspectsComeToAnEnd() {
        for (int seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            Process process = new Process(random, new HashSet<>(), -1);
            int strands = 1 + random.nextInt(8);
            int chunkMax = 1 + random.nextInt(60);
            live(lane(process, strands, chunkMax), process, 0);
            List<Long> last = new ArrayList<>();
            for (int key = 0; key < 13; key++) {
                String name = "member-" + key;
                List<Long> ofKey = process.ran.stream()
                        .filter(offset -> keyOf(offset).equals(name))
                        .toList();
                assertThat(ofKey).as("seed %s, %s", seed, name).isSorted();
                last.addAll(ofKey);
            }
            assertThat(last).hasSize(RECORDS);
            assertThat(process.unsuspected).as("not all are suspects").isNotEmpty();
        }
    }
}
