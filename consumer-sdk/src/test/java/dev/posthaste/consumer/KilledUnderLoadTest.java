package dev.posthaste.consumer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.IntStream;

import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;

import dev.posthaste.schemas.MessageHeaders;
import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.ReportedCase;
import dev.posthaste.testkit.Stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Two processes with the same handlers share the partitions and are killed in turn, with SIGKILL, while messages come
 * in, a provider refuses now and then, and some messages cannot be handled at all. 20 kills with {@code -Pfull}.
 */
@PosthasteStack
class KilledUnderLoadTest {

    private static final int KILLS = Boolean.getBoolean("posthaste.full") ? 20 : 5;
    private static final int PARTITIONS = 4;
    private static final int PER_ROUND = 40;

    private final Set<String> published = new HashSet<>();
    private final Set<String> doomed = new TreeSet<>();

    private static ConditionFactory soon() {
        return await().atMost(Duration.ofSeconds(90));
    }

    /** The next messages of every key, one key to a partition, to every handler. */
    private void publish(Scene scene, int round) {
        for (int partition = 0; partition < PARTITIONS; partition++) {
            String key = "member-" + partition;
            List<TestMessage> loans = IntStream.rangeClosed(round * PER_ROUND + 1, (round + 1) * PER_ROUND)
                    .mapToObj(n -> {
                        TestMessage message = TestMessage.of(new Loan(key, n));
                        published.add(message.id().toString());
                        if (LoadMember.isPermanent(n) || LoadMember.isPoison(n)) {
                            doomed.add(message.id().toString());
                        }
                        return message;
                    })
                    .toList();
            for (String handler : LoadMember.HANDLERS) {
                scene.publish(handler, partition, loans);
            }
        }
    }

    private static int effects(Scene scene) {
        return Integer.parseInt(scene.query("SELECT count(*) FROM effect").get(0));
    }

    @ReportedCase(22)
    @Test
    void processesKilledUnderLoadLoseAndDoubleNothingAndRetryOnTimeAndInOrder(Stack stack) throws Exception {
        try (Scene scene = Scene.open(stack, PARTITIONS, LoadMember.HANDLERS.toArray(String[]::new));
                ProviderStub provider = new ProviderStub();
                ProviderStub leased = new ProviderStub()) {
            Lateness lateness = Lateness.watch(scene);
            scene.execute("CREATE TABLE killed (at timestamptz DEFAULT clock_timestamp())");
            Map<String, String> environment =
                    Map.of("PROVIDER_URL", provider.url(), "LEASED_PROVIDER_URL", leased.url());
            MemberProcess[] members = {
                MemberProcess.start(scene, LoadMember.class, environment),
                MemberProcess.start(scene, LoadMember.class, environment)
            };
            try {
                for (int kill = 0; kill < KILLS; kill++) {
                    int before = effects(scene);
                    publish(scene, kill);
                    soon().until(() -> effects(scene) >= before + PER_ROUND);
                    assertThat(unsettled(scene))
                            .as("it is killed while there is work")
                            .isNotEmpty();
                    members[kill % 2].kill();
                    scene.execute("INSERT INTO killed DEFAULT VALUES");
                    members[kill % 2] = MemberProcess.start(scene, LoadMember.class, environment);
                }
                publish(scene, KILLS);
                await().atMost(Duration.ofSeconds(100)).untilAsserted(() -> assertThat(unsettled(scene))
                        .as(() -> details(scene))
                        .isEmpty());
                soon().until(() -> scene.deadLetters("account").size() >= doomed.size());
            } finally {
                for (MemberProcess member : members) {
                    member.close();
                }
            }
            requireEveryEffectOnce(scene);
            requireDeadLetters(scene);
            requireOrder(scene);
            for (ProviderStub each : List.of(provider, leased)) {
                assertThat(each.refused()).as("the provider did refuse").isPositive();
                assertThat(each.keys())
                        .as("called for each message under one key")
                        .isEqualTo(published);
            }
            assertThat(lateness.retries()).as("there were retries").isGreaterThan(doomed.size());
            lateness.requireNoneEarly();
            lateness.print(KILLS + " kills under load, " + published.size() + " messages to each of "
                    + LoadMember.HANDLERS.size() + " handlers");
            lateness.printKills();
            System.out.println("attempts that ended with their process: "
                    + scene.query("SELECT count(*) FROM inbox.journal WHERE code = 'process-ended'"));
        }
    }

    /** What is not at its end yet, by handler and state. */
    private List<String> unsettled(Scene scene) {
        List<String> unsettled = new ArrayList<>();
        for (String handler : LoadMember.HANDLERS) {
            unsettled.addAll(scene.query("SELECT handler || ': ' || count(*) || ' ' || state FROM inbox.delivery"
                    + " WHERE handler = '" + handler + "' AND state NOT IN ('completed', 'dead-letter')"
                    + " GROUP BY handler, state"));
            int seen = scene.query("SELECT message_id FROM inbox.delivery WHERE handler = '" + handler + "'")
                    .size();
            if (seen < published.size()) {
                unsettled.add(handler + ": " + (published.size() - seen) + " not seen");
            }
        }
        return unsettled;
    }

    /** The first of what is not at its end, and how far its retries are read. */
    private static String details(Scene scene) {
        List<String> rows = scene.query(
                "SELECT concat_ws(' ', d.handler, d.state, d.attempt, d.code, d.lease_owner, 'at',"
                        + " d.record_topic, d.record_partition, d.record_offset, 'place', o.place, 'route', o.route, 'emit in',"
                        + " o.emit_at - now(), 'emitted', now() - o.emitted_at, 'ago, failures', o.emit_failures, d.message_id)"
                        + " FROM inbox.delivery d LEFT JOIN inbox.outgoing o USING (handler, tenant, message_id, staged_at)"
                        + " WHERE d.state NOT IN ('completed', 'dead-letter') OR o.blocked_key IS NOT NULL ORDER BY o.place LIMIT 30");
        StringBuilder lags = new StringBuilder();
        for (String handler : LoadMember.HANDLERS) {
            for (String kind : List.of("", ".retry")) {
                for (int partition = 0; partition < PARTITIONS; partition++) {
                    lags.append(handler)
                            .append(kind)
                            .append('-')
                            .append(partition)
                            .append(": ")
                            .append(scene.committed(handler + kind, partition))
                            .append("; ");
                }
                lags.append(" of ")
                        .append(scene.records(scene.topic(handler) + kind).size())
                        .append(" records\n");
            }
        }
        return String.join("\n", rows) + "\n" + lags;
    }

    private void requireEveryEffectOnce(Scene scene) {
        for (String handler : LoadMember.HANDLERS) {
            Set<String> expected = new HashSet<>(published);
            if (handler.equals("account")) {
                expected.removeAll(doomed);
            }
            if (!handler.equals("charge")) { // whose effects are the provider's
                List<String> effects = scene.query("SELECT message_id FROM effect WHERE handler = '" + handler + "'");
                assertThat(new HashSet<>(effects))
                        .as(handler + ": nothing lost")
                        .isEqualTo(expected);
                assertThat(effects).as(handler + ": nothing doubled").hasSameSizeAs(expected);
            }
            assertThat(scene.completed(handler).stream().map(UUID::toString).toList())
                    .containsExactlyInAnyOrderElementsOf(expected);
        }
    }

    private void requireDeadLetters(Scene scene) {
        assertThat(new TreeSet<>(scene.query("SELECT message_id FROM inbox.delivery WHERE state = 'dead-letter'")))
                .as("exactly those that must be")
                .isEqualTo(doomed);
        assertThat(scene.deadLetters("account").stream()
                        .map(letter -> Scene.header(letter, MessageHeaders.CE_ID))
                        .distinct())
                .containsExactlyInAnyOrderElementsOf(doomed);
        assertThat(scene.deadLetters("notice")).isEmpty();
        assertThat(scene.deadLetters("charge")).isEmpty();
    }

    private static void requireOrder(Scene scene) {
        assertThat(scene.query("SELECT key || ' ' || n || ' after ' || before FROM (SELECT key, n, lag(n) OVER"
                        + " (PARTITION BY key ORDER BY seq) AS before FROM effect WHERE handler = 'account') AS e"
                        + " WHERE n < before"))
                .as("out of order per key")
                .isEmpty();
    }
}
