package dev.posthaste.consumer;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;

import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.ReportedCase;
import dev.posthaste.testkit.Stack;

import static dev.posthaste.consumer.Handler.handler;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** A process that gets SIGSTOP for longer than its lease, and SIGCONT when another has made the call. */
@PosthasteStack
class FrozenProcessTest {

    private static ConditionFactory soon() {
        return await().atMost(Duration.ofSeconds(60));
    }

    private static void signal(Process process, String name) throws IOException, InterruptedException {
        int exit = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                .inheritIO()
                .start()
                .waitFor();
        assertThat(exit).as("kill -%s", name).isZero();
    }

    @ReportedCase(23)
    @Test
    void aWorkerFrozenPastItsLeaseIsFollowedAndItsCompletionIsRefusedAndCounted(Stack stack) throws Exception {
        List<Integer> attempts = new CopyOnWriteArrayList<>();
        Handler calls = handler("charge")
                .lease(FrozenMember.LEASE)
                .on(Loan.TYPE, 1, Loan.class)
                .call((event, call) -> {
                    attempts.add(call.delivery().attempt());
                    return Outcome.done();
                });
        try (Scene scene = Scene.open(stack, 1, "charge")) {
            scene.execute("CREATE TABLE told (at timestamptz)");
            scene.publish("charge", 0, TestMessage.of(new Loan("ada", 1)));
            Process frozen = KilledProcessTest.startMember(scene, FrozenMember.class);
            try {
                soon().until(() -> scene.inState("charge", "processing") == 1);
                signal(frozen, "STOP");
                assertThat(scene.inState("charge", "processing"))
                        .as("frozen in the call")
                        .isEqualTo(1);

                scene.start(scene.builder(Catalogs.leased("charge"), calls)
                        .settings(ConsumerSettings.defaults()
                                .withLockTimeout(Duration.ofSeconds(1))
                                .withSessionTimeout(Duration.ofSeconds(6))));
                soon().until(() -> scene.completed("charge").size() == 1);
                assertThat(attempts).containsExactly(2);
                List<String> before = scene.query("SELECT d::text FROM inbox.delivery d");

                scene.execute("INSERT INTO told VALUES (now())");
                signal(frozen, "CONT");
                assertThat(frozen.waitFor(60, TimeUnit.SECONDS)).isTrue();
                assertThat(frozen.exitValue()).isEqualTo(FrozenMember.REFUSED);
                assertThat(scene.query("SELECT d::text FROM inbox.delivery d"))
                        .as("it has changed nothing")
                        .isEqualTo(before);
                assertThat(scene.query("SELECT attempt || ' ' || outcome || ' ' || coalesce(code, '-')"
                                + " FROM inbox.journal ORDER BY entry"))
                        .containsExactly("1 failed lease-expired", "2 completed -");
            } finally {
                frozen.destroyForcibly().waitFor(30, TimeUnit.SECONDS);
            }
        }
    }
}
