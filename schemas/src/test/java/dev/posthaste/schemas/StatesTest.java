package dev.posthaste.schemas;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The two lifecycles: what may follow what, and what each state knows. */
class StatesTest {

    private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");

    @Test
    void theMovesOfAMessageAreTheLegalOnesAndNoOthers() {
        assertThat(moves(MessageState.class))
                .isEqualTo(Map.of(
                        "Pending", Set.of("Processing"),
                        "Processing", Set.of("Dispatched", "Pending", "Failed", "DeadLetter"),
                        "Dispatched", Set.of(),
                        "Failed", Set.of("Processing", "Pending"),
                        "DeadLetter", Set.of("Pending")));
    }

    @Test
    void theMovesOfADeliveryAreTheLegalOnesAndNoOthers() {
        assertThat(moves(DeliveryState.class))
                .isEqualTo(Map.of(
                        "Pending", Set.of("Processing"),
                        "Processing", Set.of("Completed", "Failed", "DeadLetter", "Pending"),
                        "Completed", Set.of(),
                        "Failed", Set.of("Processing"),
                        "DeadLetter", Set.of("Pending", "Discarded"),
                        "Discarded", Set.of()));
    }

    /** The states a public method of each state leads to. */
    private static Map<String, Set<String>> moves(Class<?> state) {
        Map<String, Set<String>> moves = new TreeMap<>();
        for (Class<?> from : state.getPermittedSubclasses()) {
            Set<String> to = new TreeSet<>();
            Arrays.stream(from.getDeclaredMethods())
                    .filter(method -> Modifier.isPublic(method.getModifiers()))
                    .map(Method::getReturnType)
                    .filter(state::isAssignableFrom)
                    .forEach(target -> to.add(target.getSimpleName()));
            moves.put(from.getSimpleName(), to);
        }
        return moves;
    }

    @Test
    void attemptsOfAMessageAreCountedWhenItIsTakenAndKeptThroughEverything() {
        MessageState.Processing first = new MessageState.Pending(0).toProcessing("relay-1", NOW, 7);
        assertThat(first).isEqualTo(new MessageState.Processing(1, "relay-1", NOW, 7));
        assertThat(first.toDispatched(NOW)).isEqualTo(new MessageState.Dispatched(1, NOW));
        assertThat(first.toPending().toProcessing("relay-2", NOW, 8).attempt()).isEqualTo(2);
        assertThat(first.toFailed(NOW).toProcessing("relay-2", NOW, 8).attempt())
                .isEqualTo(2);
        assertThat(first.toFailed(NOW).toPending()).isEqualTo(new MessageState.Pending(1));
        assertThat(first.toDeadLetter("unknown type").toPending()).isEqualTo(new MessageState.Pending(1));
    }

    @Test
    void attemptsOfADeliveryAreCountedWhenItIsClaimedAndKeptThroughEverything() {
        DeliveryState.Processing first = new DeliveryState.Pending(0).toProcessing("member-1", NOW, 7);
        assertThat(first.toCompleted(NOW)).isEqualTo(new DeliveryState.Completed(1, NOW));
        assertThat(first.toFailed(NOW).toProcessing("member-2", NOW, 8).attempt())
                .isEqualTo(2);
        assertThat(first.toPending()).isEqualTo(new DeliveryState.Pending(1));
        assertThat(first.toDeadLetter("refused").toPending()).isEqualTo(new DeliveryState.Pending(1));
    }

    @Test
    void everyStateHasTheNameOfTheTables() {
        assertThat(new MessageState.Pending(0).wireName()).isEqualTo("pending");
        assertThat(new MessageState.Processing(1, "o", NOW, 1).wireName()).isEqualTo("processing");
        assertThat(new MessageState.Dispatched(1, NOW).wireName()).isEqualTo("dispatched");
        assertThat(new MessageState.Failed(1, NOW).wireName()).isEqualTo("failed");
        assertThat(new MessageState.DeadLetter("r", 1).wireName()).isEqualTo("dead-letter");
        assertThat(new DeliveryState.Pending(0).wireName()).isEqualTo("pending");
        assertThat(new DeliveryState.Processing(1, "o", NOW, 1).wireName()).isEqualTo("processing");
        assertThat(new DeliveryState.Completed(1, NOW).wireName()).isEqualTo("completed");
        assertThat(new DeliveryState.Failed(1, NOW).wireName()).isEqualTo("failed");
        assertThat(new DeliveryState.DeadLetter("r", 1).wireName()).isEqualTo("dead-letter");
        assertThat(new DeliveryState.DeadLetter("r", 1).toDiscarded().wireName())
                .isEqualTo("discarded");
    }
}
