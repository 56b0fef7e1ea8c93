package dev.posthaste.consumer;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;

import dev.posthaste.schemas.catalog.Catalog;
import dev.posthaste.schemas.catalog.OnDeadLetter;
import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.ReportedCase;
import dev.posthaste.testkit.Stack;

import static dev.posthaste.consumer.Handler.handler;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@PosthasteStack
class OffsetsTest {

    private static ConditionFactory soon() {
        return await().atMost(Duration.ofSeconds(30));
    }

    private static List<TestMessage> loans(int from, int to) {
        return IntStream.rangeClosed(from, to)
                .mapToObj(n -> TestMessage.of(new Loan("ada", n)))
                .toList();
    }

    @ReportedCase(31)
    @Test
    void noOffsetIsCommittedPastARecordInHand(Stack stack) throws Exception {
        CountDownLatch inHand = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        Handler hangsAtThree = handler("due-notice")
                .on(Loan.TYPE, 1, Loan.class)
                .handle((event, tx) -> {
                    Scene.write("due-notice", event, tx);
                    if (event.payload().n() == 3) {
                        inHand.countDown();
                        never.await();
                    }
                });
        try (Scene scene = Scene.open(stack, 2, "due-notice")) {
            scene.publish("due-notice", 0, loans(1, 6));
            scene.publish("due-notice", 1, loans(101, 106));
            PosthasteConsumer consumer = scene.start(scene.builder(hangsAtThree)
                    .settings(ConsumerSettings.defaults().withChunkMax(1)));
            inHand.await();
            soon().until(() -> Long.valueOf(7).equals(scene.committed("due-notice", 1)));
            soon().until(() -> Long.valueOf(2).equals(scene.committed("due-notice", 0)));
            assertThat(consumer.drain(Duration.ofMillis(100))).as("it hangs").isFalse();
            assertThat(scene.committed("due-notice", 0)).isEqualTo(2);

            scene.start(Scene.writing("due-notice"));
            soon().until(() -> scene.effects("due-notice").size() == 12);
            assertThat(scene.query("SELECT n FROM effect WHERE n < 100 ORDER BY seq"))
                    .containsExactly("1", "2", "3", "4", "5", "6");
        }
    }

    /** Its member is put out of the group after the database has the effect and before the offset is committed. */
    @Test
    void ackFailedAfterAcceptIsLoggedAndSkippedOnRedelivery(Stack stack) throws Exception {
        try (Scene scene = Scene.open(stack, 1, "due-notice");
                WarningLog log = new WarningLog()) {
            Set<UUID> putOut = ConcurrentHashMap.newKeySet();
            Handler loses = handler("due-notice").on(Loan.TYPE, 1, Loan.class).handle((event, tx) -> {
                Scene.write("due-notice", event, tx);
                if (putOut.add(event.id())) {
                    scene.admin
                            .removeMembersFromConsumerGroup(
                                    scene.topic("due-notice"), new RemoveMembersFromConsumerGroupOptions())
                            .all()
                            .get();
                }
            });
            PosthasteConsumer consumer = scene.start(loses);
            int messages = 0;
            // The member may notice before it commits: then there is no commit that fails, and the next one shows it.
            while (log.lines().stream().noneMatch(line -> line.contains("were not committed")) && messages < 10) {
                int published = ++messages;
                scene.publish("due-notice", 0, loans(published, published));
                soon().until(() -> Long.valueOf(2L * published).equals(scene.committed("due-notice", 0)));
            }
            assertThat(log.lines())
                    .filteredOn(line -> line.contains("were not committed"))
                    .singleElement()
                    .asString()
                    .contains(scene.topic("due-notice") + "-0", "will be skipped");
            assertThat(scene.attempts("due-notice", "duplicate")).isEqualTo(messages);
            assertThat(scene.effects("due-notice")).hasSize(messages);
            assertThat(putOut).hasSize(messages);
            assertThat(consumer.health().stopped()).isEmpty();
        }
    }

    @Test
    void theFirstStartBeginsWithTheEarliestRecord(Stack stack) throws Exception {
        try (Scene scene = Scene.open(stack, 2, "due-notice")) {
            scene.publish("due-notice", 0, loans(1, 3));
            scene.start(Scene.writing("due-notice"));

            soon().until(() -> scene.effects("due-notice").size() == 3);
            soon().until(() -> Long.valueOf(0).equals(scene.committed("due-notice", 1)));
            assertThat(
                            scene.query(
                                    "SELECT record_partition FROM inbox.started_partition WHERE record_topic NOT LIKE '%.retry' ORDER BY 1"))
                    .containsExactly("0", "1");
        }
    }

    @Test
    void aPartitionAddedLaterBeginsWithItsEarliestRecord(Stack stack) throws Exception {
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            scene.publish("due-notice", 0, loans(1, 1));
            PosthasteConsumer first = scene.start(Scene.writing("due-notice"));
            soon().until(() -> scene.effects("due-notice").size() == 1);
            first.close();
            scene.admin
                    .createPartitions(Map.of(scene.topic("due-notice"), NewPartitions.increaseTo(2)))
                    .all()
                    .get();
            soon().ignoreExceptions().until(() -> {
                scene.publish("due-notice", 1, loans(2, 2));
                return true;
            });
            scene.start(Scene.writing("due-notice"));
            soon().until(() -> scene.effects("due-notice").contains("2"));
        }
    }

    @ReportedCase(46)
    @Test
    void lostGroupOffsetsAreAnAlarmAndAStopNotAJump(Stack stack) throws Exception {
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            scene.publish("due-notice", 0, loans(1, 3));
            PosthasteConsumer first = scene.start(Scene.writing("due-notice"));
            soon().until(() -> scene.effects("due-notice").size() == 3);
            first.close();
            scene.admin
                    .deleteConsumerGroups(List.of(scene.topic("due-notice")))
                    .all()
                    .get();
            assertThat(scene.committed("due-notice", 0)).isNull();
            scene.publish("due-notice", 0, loans(4, 4));

            PosthasteConsumer second = scene.start(Scene.writing("due-notice"));
            soon().until(() -> !second.health().stopped().isEmpty());
            assertThat(second.health().stopped()).singleElement().satisfies(stopped -> {
                assertThat(stopped.reason()).isEqualTo(StopReason.OFFSET_LOST);
                assertThat(stopped.offset()).as("none").isEqualTo(-1);
                assertThat(stopped.summary()).contains("--reset-offsets", "inbox.started_partition");
            });
            second.close();
            assertThat(scene.effects("due-notice")).hasSize(3);
            assertThat(scene.committed("due-notice", 0)).isNull();

            scene.execute("DELETE FROM inbox.started_partition"); // as the summary says
            scene.start(Scene.writing("due-notice"));
            soon().until(() -> scene.effects("due-notice").size() == 4);
            assertThat(scene.attempts("due-notice", "duplicate")).isEqualTo(3);
        }
    }

    @Test
    void theRetryTopicGoesOnThoughItsOffsetsAreLost(Stack stack) throws Exception {
        AtomicBoolean mended = new AtomicBoolean();
        AtomicInteger failures = new AtomicInteger();
        Handler failing = handler("due-notice").on(Loan.TYPE, 1, Loan.class).handle((event, tx) -> {
            if (!mended.get()) {
                throw new IllegalStateException("failure " + failures.incrementAndGet());
            }
            Scene.write("due-notice", event, tx);
        });
        Catalog patient = Catalogs.perKey("due-notice", OnDeadLetter.PASS, 500);
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            String retry = scene.topic("due-notice") + ".retry";
            TopicPartition partition = new TopicPartition(retry, 0);
            scene.publish("due-notice", 0, loans(1, 2));
            PosthasteConsumer first = scene.start(scene.builder(patient, failing));
            soon().until(() -> failures.get() >= 3);
            first.close();
            scene.admin.deleteConsumerGroups(List.of(retry)).all().get();
            int before = failures.get();

            PosthasteConsumer second = scene.start(scene.builder(patient, failing));
            soon().until(() -> failures.get() > before);
            mended.set(true);
            soon().until(() -> scene.effects("due-notice").equals(List.of("1", "2")));
            assertThat(second.health().stopped()).as("expired offsets").isEmpty();
            second.close();
            scene.admin
                    .deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(-1)))
                    .all()
                    .get();
            scene.admin
                    .alterConsumerGroupOffsets(retry, Map.of(partition, new OffsetAndMetadata(0)))
                    .all()
                    .get();
            mended.set(false);
            scene.publish("due-notice", 0, loans(3, 4));
            int after = failures.get();

            PosthasteConsumer third = scene.start(scene.builder(patient, failing));
            soon().until(() -> failures.get() > after + 1);
            mended.set(true);
            soon().until(() -> scene.effects("due-notice").equals(List.of("1", "2", "3", "4")));
            assertThat(third.health().stopped()).as("offsets out of range").isEmpty();
        }
    }

    @ReportedCase(46)
    @Test
    void fallingBehindTheTopicsRetentionIsAnAlarmAndAStopNotAJump(Stack stack) throws Exception {
        try (Scene scene = Scene.open(stack, 2, "due-notice")) {
            scene.publish("due-notice", 0, loans(1, 3));
            PosthasteConsumer first = scene.start(Scene.writing("due-notice"));
            soon().until(() -> scene.effects("due-notice").size() == 3);
            first.close();
            scene.publish("due-notice", 0, loans(4, 9));
            TopicPartition partition = new TopicPartition(scene.topic("due-notice"), 0);
            scene.admin
                    .deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(7)))
                    .all()
                    .get();

            PosthasteConsumer second = scene.start(Scene.writing("due-notice"));
            soon().until(() -> !second.health().stopped().isEmpty());
            scene.publish("due-notice", 1, loans(101, 103));
            soon().until(() -> scene.effects("due-notice").size() == 6);
            assertThat(second.health().stopped()).singleElement().satisfies(stopped -> {
                assertThat(stopped.reason()).isEqualTo(StopReason.OFFSET_OUT_OF_RANGE);
                assertThat(stopped.partition()).isZero();
                assertThat(stopped.offset()).isEqualTo(4);
            });
            second.close();
            assertThat(scene.query("SELECT n FROM effect WHERE n BETWEEN 4 AND 9"))
                    .isEmpty();
            assertThat(scene.committed("due-notice", 0)).isEqualTo(4);
        }
    }
}
