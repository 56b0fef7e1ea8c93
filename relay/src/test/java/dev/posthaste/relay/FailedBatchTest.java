package dev.posthaste.relay;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.posthaste.relay.publishing.KafkaPublisher;
import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.ReportedCase;
import dev.posthaste.testkit.Stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Whatever fails with a batch in hand, no later batch overtakes it. All messages have one key, so each topic shows the
 * order in which batches were published.
 */
@PosthasteStack
class FailedBatchTest {

    @Test
    @ReportedCase(6)
    void aBatchThatFailsInAnyWayIsPublishedAgainBeforeAnyLaterOne(Stack stack, @TempDir Path directory)
            throws Exception {
        Outbox outbox = Outbox.initialised(stack, directory);
        // Some errors a client may try again and others it may not: the engine must not know the difference.
        failing(outbox, "dispatch_batch", List.of("40001", "XX000"));
        failing(outbox, "quarantined", List.of("57014"));
        try (RunningRelay relay =
                RunningRelay.start(Adjusted.batches(outbox.settings(), 20, 100)).awaitStreaming()) {
            // After publishing: the evidence of the first batch fails twice.
            insert(outbox, 1, 200);
            outbox.awaitDispatched();
            requireFailures(outbox, "dispatch_batch", 2);

            // Before publishing: a message of the batch cannot be set aside.
            outbox.sql("INSERT INTO outbox.message (kind, type, schema_version, key, payload)"
                    + " VALUES ('integration-event', 'library.unheard-of', 1, 'copy-1', '{}')");
            insert(outbox, 201, 400);
            outbox.awaitDispatched();
            requireFailures(outbox, "quarantined", 1);

            // While publishing: somebody else takes the transactional id.
            relay.awaitStreaming();
            try (KafkaPublisher other = KafkaPublisher.open(outbox.settings().publisher())) {
                insert(outbox, 401, 600);
                relay.awaitStandby("another relay publishes");
                relay.awaitRestart();
                outbox.awaitDispatched();
            }
        }
        for (String handler : List.of("due-notice", "statistics")) {
            assertThat(outbox.records(handler))
                    .extracting(message -> new String(message.value(), StandardCharsets.UTF_8))
                    .containsExactlyElementsOf(outbox.column(
                            "SELECT json_build_object('n', n)::text FROM generate_series(1, 600) n ORDER BY n"));
        }
        assertThat(outbox.column("SELECT batch FROM outbox.dispatch_batch ORDER BY serial"))
                .as("batches in the order in which they were proved")
                .isEqualTo(outbox.column("SELECT batch FROM outbox.dispatch_batch ORDER BY batch"));
        assertThat(outbox.number("SELECT count(DISTINCT fence) FROM outbox.dispatch_batch"))
                .as("terms that proved something")
                .isGreaterThanOrEqualTo(3);
    }

    private static void insert(Outbox outbox, int first, int last) {
        outbox.sql(
                Outbox.insertStatement(last, "copy-1").replace("generate_series(1,", "generate_series(" + first + ","));
    }

    /** The first inserts into that table fail, one for each of these SQL states. */
    private static void failing(Outbox outbox, String table, List<String> states) {
        outbox.sql("CREATE SEQUENCE fails_" + table); // what it counts outlives a roll-back
        outbox.sql("CREATE FUNCTION fail_" + table + "() RETURNS trigger LANGUAGE plpgsql AS $$ DECLARE n bigint :="
                + " nextval('public.fails_" + table + "'); states text[] := '{" + String.join(",", states) + "}'; BEGIN"
                + " IF n <= cardinality(states) THEN RAISE EXCEPTION 'told to fail' USING ERRCODE = states[n]; END IF;"
                + " RETURN NEW; END $$");
        outbox.sql("CREATE TRIGGER fails BEFORE INSERT ON outbox." + table + " FOR EACH ROW EXECUTE FUNCTION fail_"
                + table + "()");
    }

    private static void requireFailures(Outbox outbox, String table, int failures) {
        await().atMost(Duration.ofSeconds(10))
                .until(() -> outbox.number("SELECT last_value FROM fails_" + table) > failures);
    }
}
