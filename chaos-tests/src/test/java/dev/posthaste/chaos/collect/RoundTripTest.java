package dev.posthaste.chaos.collect;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.posthaste.chaos.history.Entry;
import dev.posthaste.chaos.history.Entry.Result;
import dev.posthaste.chaos.history.History;
import dev.posthaste.chaos.history.HistoryWriter;
import dev.posthaste.chaos.load.ChaosCatalog;
import dev.posthaste.chaos.load.JavaProcess;
import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.Stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Load, relay, consumer and provider together: what is collected of a calm run is whole and agrees with itself. */
@PosthasteStack
class RoundTripTest {

    private static final Duration DRAIN_MAX = Duration.ofMinutes(2);

    @Test
    void collectsWhatARunHasLeft(Stack stack, @TempDir Path directory) throws Exception {
        try (RoundTrip trip = new RoundTrip(stack, directory);
                Sampler sampler = new Sampler(trip.sources(), trip.slot(), List.of(trip.relayUrl()), () -> 0)) {
            assertThat(sampler.sample().relays()).containsExactly("unreachable");
            try (JavaProcess relay = trip.relay();
                    JavaProcess consumer = trip.consumer("CHAOS_FAIL_SHARE", "0.02", "CHAOS_POISON_SHARE", "0.01");
                    JavaProcess load = trip.load()) {
                run(trip, sampler, load, consumer);
                consumer.terminate();
                assertThat(consumer.endsWithin(40)).as(consumer.log()).isTrue();
                relay.terminate();
                assertThat(relay.endsWithin(40)).as(relay.log()).isTrue();
            }
            try (HistoryWriter collected = HistoryWriter.open(trip.history().resolve("traces.jsonl"))) {
                new Collector(trip.sources()).collect(collected);
            }
            History history = History.read(trip.history());
            Map<UUID, Entry.Staged> committed = committed(history);
            requireStoredAndPublished(history, committed);
            requireDelivered(history, committed);
            requireEffects(history, committed);
            requireCalls(history, trip);
        }
    }

    private static void run(RoundTrip trip, Sampler sampler, JavaProcess load, JavaProcess consumer)
            throws InterruptedException {
        trip.provider.failForShare(0.1);
        Drain drain = new Drain(trip.sources(), () -> !load.isAlive());
        assertThat(drain.left()).contains("writers are at work");
        await().atMost(3, TimeUnit.MINUTES).untilAsserted(() -> {
            Entry.Sample sample = sampler.sample();
            assertThat(sample.relays()).containsExactly("streaming");
            assertThat(sample.published()).isGreaterThan(150);
            assertThat(sample.effects()).isPositive();
            assertThat(sample.pending()).isNotNull();
            assertThat(sample.walBytes()).isNotNull();
            assertThat(sample.relayHeapBytes()).isGreaterThan(1_000_000);
            assertThat(History.read(trip.history()).of(Entry.Call.class)).anyMatch(call -> !call.answered());
        });
        load.closeInput();
        assertThat(load.endsWithin(20)).as(load.log()).isTrue();
        trip.provider.failForShare(0);
        assertThat(drain.await(DRAIN_MAX)).as(consumer.log()).isEmpty();
    }

    private static Map<UUID, Entry.Staged> committed(History history) {
        Map<Long, Result> results = history.of(Entry.Outcome.class).stream()
                .collect(Collectors.toMap(Entry.Outcome::tx, Entry.Outcome::result));
        Map<UUID, Entry.Staged> committed = new HashMap<>();
        for (Entry.Intent intent : history.of(Entry.Intent.class)) {
            if (results.get(intent.tx()) == Result.COMMITTED) {
                intent.messages().stream()
                        .filter(message -> !message.undone())
                        .forEach(message -> committed.put(message.id(), message));
            }
        }
        return committed;
    }

    private static Set<UUID> ids(Map<UUID, Entry.Staged> committed, boolean refused) {
        return committed.values().stream()
                .filter(message -> message.refused() == refused)
                .map(Entry.Staged::id)
                .collect(Collectors.toSet());
    }

    private static void requireStoredAndPublished(History history, Map<UUID, Entry.Staged> committed) {
        assertThat(history.of(Entry.Stored.class))
                .extracting(Entry.Stored::id)
                .containsExactlyInAnyOrderElementsOf(committed.keySet());
        assertThat(history.of(Entry.Quarantined.class))
                .extracting(Entry.Quarantined::id)
                .containsExactlyInAnyOrderElementsOf(ids(committed, true));
        assertThat(history.of(Entry.Batch.class))
                .flatExtracting(Entry.Batch::ids)
                .containsExactlyInAnyOrderElementsOf(committed.keySet());
        for (String handler : ChaosCatalog.HANDLERS) {
            List<Entry.Published> published = history.of(Entry.Published.class).stream()
                    .filter(record -> record.handler().equals(handler))
                    .toList();
            assertThat(published)
                    .extracting(Entry.Published::id)
                    .containsExactlyInAnyOrderElementsOf(ids(committed, false));
            assertThat(published).allSatisfy(record -> {
                Entry.Staged staged = committed.get(record.id());
                assertThat(record.key()).isEqualTo(staged.key());
                assertThat(record.sha256()).isEqualTo(staged.sha256());
                assertThat(record.marker()).isFalse();
            });
        }
    }

    private static void requireDelivered(History history, Map<UUID, Entry.Staged> committed) {
        for (String handler : ChaosCatalog.HANDLERS) {
            List<Entry.Delivery> deliveries = history.of(Entry.Delivery.class).stream()
                    .filter(delivery -> delivery.handler().equals(handler))
                    .toList();
            assertThat(deliveries)
                    .extracting(Entry.Delivery::id)
                    .containsExactlyInAnyOrderElementsOf(ids(committed, false));
            assertThat(deliveries).extracting(Entry.Delivery::state).isSubsetOf("completed", "dead-letter");
            assertThat(dead(history, handler))
                    .containsExactlyInAnyOrderElementsOf(deliveries.stream()
                            .filter(delivery -> delivery.state().equals("dead-letter"))
                            .map(Entry.Delivery::id)
                            .toList());
        }
        assertThat(history.of(Entry.Delivery.class)).anyMatch(delivery -> delivery.attempt() > 1);
        assertThat(history.of(Entry.DeadLetter.class)).isNotEmpty().allSatisfy(letter -> assertThat(letter.sha256())
                .isEqualTo(committed.get(letter.id()).sha256()));
    }

    private static List<UUID> dead(History history, String handler) {
        return history.of(Entry.DeadLetter.class).stream()
                .filter(letter -> letter.handler().equals(handler))
                .map(Entry.DeadLetter::id)
                .toList();
    }

    private static void requireEffects(History history, Map<UUID, Entry.Staged> committed) {
        for (String handler : List.of(ChaosCatalog.LEDGER, ChaosCatalog.STATISTICS)) {
            List<Entry.Effect> effects = history.of(Entry.Effect.class).stream()
                    .filter(effect -> effect.handler().equals(handler))
                    .toList();
            Set<UUID> wanted = ids(committed, false);
            dead(history, handler).forEach(wanted::remove);
            assertThat(effects).extracting(Entry.Effect::id).containsExactlyInAnyOrderElementsOf(wanted);
            assertThat(effects).allSatisfy(effect -> {
                assertThat(effect.key()).isEqualTo(committed.get(effect.id()).key());
                assertThat(effect.number()).isEqualTo(committed.get(effect.id()).number());
            });
        }
        Map<String, List<Long>> ledger = new HashMap<>();
        history.of(Entry.Effect.class).stream()
                .filter(effect -> effect.handler().equals(ChaosCatalog.LEDGER))
                .forEach(effect -> ledger.computeIfAbsent(effect.key(), key -> new ArrayList<>())
                        .add(effect.number()));
        ledger.forEach(
                (key, numbers) -> assertThat(numbers).as("effects of %s", key).isSorted());
    }

    private static void requireCalls(History history, RoundTrip trip) {
        Set<String> completed = history.of(Entry.Delivery.class).stream()
                .filter(delivery -> delivery.handler().equals(ChaosCatalog.CHARGE))
                .filter(delivery -> delivery.state().equals("completed"))
                .map(delivery -> delivery.id().toString())
                .collect(Collectors.toSet());
        List<Entry.Call> calls = history.of(Entry.Call.class);
        Set<String> answered = calls.stream()
                .filter(Entry.Call::answered)
                .map(Entry.Call::idempotencyKey)
                .collect(Collectors.toCollection(HashSet::new));
        assertThat(answered).containsAll(completed);
        assertThat(trip.provider.charges()).isEqualTo(answered.size());
    }
}
