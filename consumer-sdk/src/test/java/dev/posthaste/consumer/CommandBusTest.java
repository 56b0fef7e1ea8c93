package dev.posthaste.consumer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import dev.posthaste.schemas.catalog.DeliveryMode;
import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.Stack;

import static dev.posthaste.consumer.Handler.handler;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@PosthasteStack
class CommandBusTest {

    /** What one scope has gone through. */
    private static final class Scope implements CommandBus.Scope {
        private final List<String> story = new ArrayList<>(List.of("opened"));
        private final boolean fails;

        Scope(boolean fails) {
            this.fails = fails;
        }

        @Override
        public Outcome send(Event<?> command, Transaction tx) throws Exception {
            Loan loan = (Loan) command.payload();
            story.add("sent " + loan.n() + " attempt " + tx.delivery().attempt());
            Scene.write(
                    "issue-card",
                    new Event<>(
                            command.id(),
                            command.kind(),
                            command.type(),
                            command.schemaVersion(),
                            command.key(),
                            command.tenant(),
                            command.occurredAt(),
                            command.stagedAt(),
                            command.headers(),
                            loan),
                    tx);
            if (fails) {
                throw new IllegalStateException("not this time");
            }
            return Outcome.done();
        }

        @Override
        public void close() {
            story.add("closed");
        }
    }

    @Test
    void commandRunsInAFreshScope(Stack stack) throws Exception {
        List<Scope> scopes = new CopyOnWriteArrayList<>();
        CommandBus bus = () -> {
            Scope scope = new Scope(scopes.isEmpty());
            scopes.add(scope);
            return scope;
        };
        Handler issues = handler("issue-card").on(Loan.TYPE, 1, Loan.class).through(bus);
        try (Scene scene = Scene.open(stack, 1, "issue-card")) {
            scene.publish(
                    "issue-card",
                    0,
                    IntStream.rangeClosed(1, 3)
                            .mapToObj(n -> TestMessage.of(new Loan("ada", n)))
                            .toList());
            scene.start(scene.builder(Catalogs.command("issue-card", DeliveryMode.TRANSACTIONAL), issues)
                    .settings(ConsumerSettings.defaults().withChunkMax(1)));

            await().atMost(Duration.ofSeconds(30))
                    .until(() -> scene.completed("issue-card").size() == 3);
            assertThat(scene.effects("issue-card")).containsExactlyInAnyOrder("1", "2", "3");
            assertThat(scopes)
                    .extracting(scope -> String.join(", ", scope.story))
                    .as("one scope for each delivery, closed whatever came of it")
                    .containsExactlyInAnyOrder(
                            "opened, sent 1 attempt 1, closed",
                            "opened, sent 2 attempt 1, closed",
                            "opened, sent 3 attempt 1, closed",
                            "opened, sent 1 attempt 2, closed");
        }
    }
}
