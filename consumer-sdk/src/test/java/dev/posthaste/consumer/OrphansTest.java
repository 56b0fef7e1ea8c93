package dev.posthaste.consumer;

import java.time.Duration;
import java.util.stream.IntStream;

import ch.qos.logback.classic.Level;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;

import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.Stack;

import static dev.posthaste.consumer.Handler.handler;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Rows of the inbox that somebody has removed by hand. */
@PosthasteStack
class OrphansTest {

    private static ConditionFactory soon() {
        return await().atMost(Duration.ofSeconds(30));
    }

    private static Handler dead() {
        return handler("due-notice")
                .on(Loan.TYPE, 1, Loan.class)
                .decide((event, tx) -> event.payload().n() == 1 ? Outcome.done() : Outcome.dead("no-such-member", ""));
    }

    private static double orphans(Scene scene, String kind) {
        return scene.meters
                .get("posthaste.inbox.orphans")
                .tag("kind", kind)
                .gauge()
                .value();
    }

    @Test
    void rowsThatHaveLostTheirCounterpartAreCountedAndNamedAtTheNextLook(Stack stack) throws Exception {
        try (Scene scene = Scene.open(stack, 1, "due-notice");
                LogLines log = new LogLines()) {
            scene.publish(
                    "due-notice",
                    0,
                    IntStream.rangeClosed(1, 6)
                            .mapToObj(n -> TestMessage.of(new Loan("ada", n)))
                            .toList());
            PosthasteConsumer before = scene.start(dead());
            soon().until(() -> scene.deadLetters("due-notice").size() == 5);
            assertThat(orphans(scene, "delivery")).isZero();
            before.close();
            scene.execute(
                    "DELETE FROM inbox.outgoing WHERE message_id IN (SELECT message_id FROM inbox.outgoing LIMIT 2)");
            scene.execute(
                    "DELETE FROM inbox.delivery WHERE message_id IN (SELECT message_id FROM inbox.outgoing LIMIT 1)");

            scene.start(dead());
            soon().until(() -> orphans(scene, "delivery") == 2 && orphans(scene, "record") == 1);
            assertThat(log.at(Level.ERROR))
                    .anyMatch(line -> line.contains("2 messages")
                            && line.contains(
                                    scene.query("SELECT message_id FROM inbox.delivery d WHERE state = 'dead-letter'"
                                                    + " AND message_id NOT IN (SELECT message_id FROM inbox.outgoing)")
                                            .get(0))
                            && line.contains("'discarded'"))
                    .anyMatch(line -> line.contains("1 messages") && line.contains("Delete it there"));
        }
    }

    @Test
    void recordsWithoutTheirDeliveryStandInNobodysWay(Stack stack) throws Exception {
        Handler once = handler("due-notice").on(Loan.TYPE, 1, Loan.class).handle((event, tx) -> {
            if (tx.delivery().attempt() == 1) {
                throw new IllegalStateException("not at once");
            }
            Scene.write("due-notice", event, tx);
        });
        try (Scene scene = Scene.open(stack, 1, "due-notice")) {
            scene.execute("INSERT INTO inbox.outgoing (handler, message_id, staged_at, route, emit_at, header_names,"
                    + " header_values) SELECT 'due-notice', gen_random_uuid(), now(), 'retry', now() - interval '1 day',"
                    + " '{}', '{}' FROM generate_series(1, 500)");
            scene.publish("due-notice", 0, TestMessage.of(new Loan("ada", 1)));
            scene.start(once);
            soon().until(() -> scene.effects("due-notice").size() == 1);
        }
    }
}
