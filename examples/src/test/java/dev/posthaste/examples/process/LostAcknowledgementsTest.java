package dev.posthaste.examples.process;

import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.posthaste.testkit.PostgresServer;
import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.ReportedCase;
import dev.posthaste.testkit.faults.BrokerProcess;
import dev.posthaste.testkit.faults.KafkaGate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** A relay process whose broker is killed before it could acknowledge what it has. */
@PosthasteStack
class LostAcknowledgementsTest {

    @TempDir
    private Path directory;

    @Test
    @ReportedCase(9)
    void ofABrokerThatIsKilledReadersOfWhatIsCommittedSeeNothingTwice(PostgresServer postgres) throws Exception {
        try (BrokerProcess broker = BrokerProcess.start(directory)) {
            ProcessOutbox outbox = ProcessOutbox.initialised(new OwnStack(postgres, broker));
            try (KafkaGate gate = KafkaGate.before(broker.bootstrapServers());
                    RelayProcess relay = RelayProcess.start(
                            directory,
                            outbox.environment(
                                    "POSTHASTE_KAFKA_BOOTSTRAP_SERVERS",
                                    gate.bootstrapServers(),
                                    "POSTHASTE_REQUEST_TIMEOUT",
                                    "5s"))) {
                relay.awaitStreaming();
                outbox.insert(1, 50);
                outbox.awaitSettled();

                // The broker has committed the batch, and the relay never hears of it.
                gate.holdAt(KafkaGate.Point.COMMIT_ANSWER);
                outbox.insert(51, 60);
                gate.awaitHeld();
                assertThat(outbox.proved()).as("not proved").isEqualTo(50);
                await("committed").until(() -> outbox.numbersOn("statistics").size() > 50);
                broker.kill();
                gate.lose();
                broker.startAgain();
                outbox.awaitSettled();

                int last;
                try (Load load = Load.start(outbox, 60)) {
                    outbox.awaitBatchAfter(outbox.batches() + 5);
                    broker.kill();
                    broker.startAgain();
                    outbox.awaitBatchAfter(outbox.batches() + 5);
                    last = load.stop();
                }
                outbox.awaitSettled();
                outbox.requireOnEveryTopic(last);
                outbox.requireProvedOnce(last);
            }
        }
    }
}
