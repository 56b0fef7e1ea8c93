package dev.posthaste.consumer;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;

import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.Stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@PosthasteStack
class LethalMessageTest {

    private static final int PARTITIONS = 2;
    private static final int PER_PARTITION = 100;
    private static final int ATTEMPTS = 3;

    private static ConditionFactory soon() {
        return await().atMost(Duration.ofSeconds(60));
    }

    /** Kafka learns at once what it would find out after the session's time-out: that nobody is left. */
    private static void forgetMembers(Scene scene) throws Exception {
        for (String group : List.of(scene.topic("due-notice"), scene.topic("due-notice") + ".retry")) {
            try {
                scene.admin
                        .removeMembersFromConsumerGroup(group, new RemoveMembersFromConsumerGroupOptions())
                        .all()
                        .get();
            } catch (ExecutionException e) { // it died before it had joined that one
                assertThat(e.getCause()).isInstanceOf(GroupIdNotFoundException.class);
            }
        }
    }

    /** As if no offset had been committed for long: all that is finished comes again, before the message at fault. */
    private static void forgetProgress(Scene scene) throws Exception {
        String topic = scene.topic("due-notice");
        scene.admin
                .alterConsumerGroupOffsets(topic, Map.of(new TopicPartition(topic, 0), new OffsetAndMetadata(0)))
                .all()
                .get();
    }

    @ParameterizedTest(name = "in the reader: {0}")
    @ValueSource(booleans = {false, true})
    void handlerThatKillsItsProcessReachesTheBound(boolean inReader, Stack stack) throws Exception {
        try (Scene scene = Scene.open(stack, PARTITIONS, "due-notice")) {
            TestMessage lethal = TestMessage.of(new Loan("member-0", LethalMember.LETHAL));
            scene.publish(
                    "due-notice",
                    0,
                    IntStream.rangeClosed(1, PER_PARTITION)
                            .mapToObj(n -> n == LethalMember.LETHAL ? lethal : TestMessage.of(new Loan("member-0", n)))
                            .toList());
            scene.publish(
                    "due-notice",
                    1,
                    IntStream.rangeClosed(1_001, 1_000 + PER_PARTITION)
                            .mapToObj(n -> TestMessage.of(new Loan("member-1", n)))
                            .toList());

            int deaths = 0;
            boolean done = false;
            while (!done) {
                try (MemberProcess member = MemberProcess.start(
                        scene, LethalMember.class, Map.of("KILLED_IN_READER", String.valueOf(inReader)))) {
                    soon().until(() -> !member.isAlive() || scene.inState("due-notice", "dead-letter") > 0);
                    done = scene.inState("due-notice", "dead-letter") > 0;
                    if (!done) {
                        assertThat(member.exitCode(Duration.ofSeconds(1))).isEqualTo(LethalMember.EXIT_CODE);
                        assertThat(++deaths)
                                .as("once unseen, then once for each attempt")
                                .isLessThanOrEqualTo(1 + ATTEMPTS);
                    } else {
                        soon().until(() -> scene.deadLetters("due-notice").size() == 1);
                        soon().until(() -> scene.completed("due-notice").size() == PARTITIONS * PER_PARTITION - 1);
                    }
                }
                forgetMembers(scene);
                forgetProgress(scene);
            }

            assertThat(deaths).isGreaterThanOrEqualTo(ATTEMPTS);
            assertThat(scene.query("SELECT attempt || ' ' || outcome || ' ' || code FROM inbox.journal"
                            + " WHERE message_id = '" + lethal.id() + "' ORDER BY entry"))
                    .containsExactly("1 failed process-ended", "2 failed process-ended", "3 dead-letter process-ended");
            assertThat(scene.query("SELECT message_id FROM inbox.delivery WHERE state = 'dead-letter'"))
                    .containsExactly(lethal.id().toString());
            assertThat(scene.query("SELECT count(*) FROM effect"))
                    .containsExactly("" + (PARTITIONS * PER_PARTITION - 1));
            assertThat(scene.query("SELECT count(DISTINCT message_id) FROM effect"))
                    .as("all others, once each")
                    .containsExactly("" + (PARTITIONS * PER_PARTITION - 1));
            assertThat(scene.query("SELECT attempt FROM inbox.delivery WHERE state = 'completed' AND attempt > 2"))
                    .as("bystanders are charged once at most")
                    .isEmpty();
        }
    }
}
