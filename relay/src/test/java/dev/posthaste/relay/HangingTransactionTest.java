package dev.posthaste.relay;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.posthaste.testkit.EmbeddedKafka;
import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.Stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A broker that lost the markers of the relay's last transaction: over for its coordinator, open on the partitions. The
 * next transaction of the relay would decide what hangs there, whatever it was.
 */
@PosthasteStack
class HangingTransactionTest {

    private static final Duration WAIT = Duration.ofSeconds(30);

    private final Stack stack;
    private EmbeddedKafka kafka;
    private Outbox outbox;
    private LostMarkers markers;

    HangingTransactionTest(Stack stack) {
        this.stack = stack;
    }

    @BeforeEach
    void publish(@TempDir Path directory) throws Exception {
        kafka = EmbeddedKafka.launch();
        outbox = Outbox.initialised(new OwnStack(stack.postgres(), kafka), directory);
        try (RunningRelay relay = RunningRelay.start(outbox.settings()).awaitStreaming()) {
            insert(20);
            outbox.awaitDispatched();
        }
        List<String> topics = new ArrayList<>(List.of(outbox.topic("due-notice"), outbox.topic("statistics")));
        topics.add(outbox.settings().namespace().positionTopic());
        markers = new LostMarkers(kafka, topics);
    }

    @AfterEach
    void close() {
        kafka.close();
    }

    @Test
    void aTransactionThatTheBrokerLeftUndecidedIsAbortedBeforeItsBatchIsPublishedAgain() throws Exception {
        publishWithoutProof();
        markers.lose(markers.written());

        streamTheRest();

        assertThat(outbox.ids()).hasSize(45);
        outbox.assertEachMessageIsPublishedOnceAndProvedOnce();
    }

    /** The transaction is committed when the broker dies, and the relay does not know. */
    private void publishWithoutProof() throws Exception {
        outbox.sql("CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS"
                + " $$ BEGIN RAISE EXCEPTION 'told to fail'; END $$");
        outbox.sql("CREATE TRIGGER refuses BEFORE INSERT ON outbox.dispatch_batch"
                + " FOR EACH ROW EXECUTE FUNCTION refuse()");
        long batch = outbox.position().batch();
        try (RunningRelay relay = RunningRelay.start(outbox.settings()).awaitStreaming()) {
            insert(20);
            await().atMost(WAIT).until(() -> outbox.position().batch() > batch);
        }
        outbox.sql("DROP TRIGGER refuses ON outbox.dispatch_batch");
    }

    private void streamTheRest() throws Exception {
        try (RunningRelay relay = RunningRelay.start(outbox.settings()).awaitStreaming()) {
            insert(5);
            outbox.awaitDispatched();
        }
    }

    /** Each with a key of its own, so that every partition gets some. */
    private void insert(int rows) {
        outbox.sql(Outbox.insertStatement(rows, "copy-").replace("'copy-'", "'copy-' || n"));
    }
}
