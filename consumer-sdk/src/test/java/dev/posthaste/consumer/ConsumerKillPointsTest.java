package dev.posthaste.consumer;

import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;

import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.ReportedCase;
import dev.posthaste.testkit.Stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Processes that end at every step between the first SQL and the offset's commit, and on the way of a retry. */
@PosthasteStack
class ConsumerKillPointsTest {

    private static final int LOANS = 5;

    private static ConditionFactory soon() {
        return await().atMost(Duration.ofSeconds(60));
    }

    @ReportedCase(22)
    @Test
    void aCompletedRowIsThereIfAndOnlyIfTheEffectIsAtWhateverStepTheProcessEnds(Stack stack) throws Exception {
        String[] handlers =
                Arrays.stream(KillPoint.values()).map(KillPoint::handler).toArray(String[]::new);
        try (Scene scene = Scene.open(stack, 1, handlers)) {
            for (String handler : handlers) {
                scene.publish(
                        handler,
                        0,
                        IntStream.rangeClosed(1, LOANS)
                                .mapToObj(n -> TestMessage.of(new Loan("ada", n)))
                                .toList());
            }
            Map<KillPoint, MemberProcess> members = new EnumMap<>(KillPoint.class);
            try {
                for (KillPoint point : KillPoint.values()) {
                    members.put(
                            point,
                            MemberProcess.start(scene, KillPointMember.class, Map.of("KILL_POINT", point.name())));
                }
                for (Map.Entry<KillPoint, MemberProcess> member : members.entrySet()) {
                    assertThat(member.getValue().exitCode(Duration.ofSeconds(60)))
                            .as(member.getKey().name())
                            .isEqualTo(KillPoint.EXIT_CODE);
                }
            } finally {
                for (MemberProcess member : members.values()) {
                    member.close();
                }
            }
            for (KillPoint point : KillPoint.values()) {
                requireReached(point, scene);
            }
            requireRowsAndEffectsEqual(scene);

            scene.start(Arrays.stream(handlers).map(Scene::writing).toArray(Handler[]::new));
            soon().until(() ->
                    scene.query("SELECT DISTINCT handler || n FROM effect").size() == handlers.length * LOANS);
            requireRowsAndEffectsEqual(scene);
            assertThat(scene.query("SELECT count(*) FROM effect"))
                    .as("each once")
                    .containsExactly("" + handlers.length * LOANS);
            assertThat(scene.query("SELECT handler FROM inbox.delivery WHERE state <> 'completed'"))
                    .isEmpty();
            assertThat(scene.query("SELECT handler FROM inbox.outgoing")).isEmpty();
        }
    }

    private static void requireRowsAndEffectsEqual(Scene scene) {
        assertThat(scene.query("SELECT handler || message_id FROM inbox.delivery WHERE state = 'completed' ORDER BY 1"))
                .isEqualTo(scene.query("SELECT handler || message_id FROM effect ORDER BY 1"));
    }

    /** The tables prove that it ended where it should. */
    private static void requireReached(KillPoint point, Scene scene) {
        String handler = point.handler();
        List<String> states =
                scene.query("SELECT state || ' ' || attempt FROM inbox.delivery WHERE handler = '" + handler + "'");
        int effects = scene.effects(handler).size();
        int retries = scene.records(scene.topic(handler) + ".retry").size();
        String found = states + ", " + effects + " effects, offset " + scene.committed(handler, 0) + ", " + retries
                + " on the retry topic";
        String expected =
                switch (point) {
                    case BEFORE_CLAIM -> "[], 0 effects, offset 0, 0 on the retry topic";
                    case BETWEEN_BEGIN_AND_CLAIM, BETWEEN_EFFECT_AND_COMMIT, BETWEEN_ROLLBACK_AND_RECORD ->
                        "[processing 1], 0 effects, offset 0, 0 on the retry topic";
                    case BETWEEN_COMMIT_AND_OFFSET -> "[completed 1], 1 effects, offset 0, 0 on the retry topic";
                    case BETWEEN_RECORD_AND_EMISSION -> "[failed 1], 0 effects, offset 0, 0 on the retry topic";
                    case BETWEEN_EMISSION_AND_ITS_MARK -> "1 on the retry topic";
                };
        assertThat(found).as(point.name()).endsWith(expected);
    }
}
