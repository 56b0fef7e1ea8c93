package dev.posthaste.relay;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.posthaste.relay.publishing.KafkaPublisher;
import dev.posthaste.relay.publishing.Position;
import dev.posthaste.relay.publishing.PublisherSettings;
import dev.posthaste.relay.publishing.UndecidedPartitions;
import dev.posthaste.schemas.MessageHeaders;
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
    private RelaySettings settings;
    private LostMarkers markers;

    HangingTransactionTest(Stack stack) {
        this.stack = stack;
    }

    @BeforeEach
    void publish(@TempDir Path directory) throws Exception {
        kafka = EmbeddedKafka.launch();
        outbox = Outbox.initialised(new OwnStack(stack.postgres(), kafka), directory);
        settings = Adjusted.unhurried(outbox.settings(), Duration.ofMillis(300), Duration.ofSeconds(3));
        try (RunningRelay relay = RunningRelay.start(settings).awaitStreaming()) {
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

    @Test
    void aRepairAbortsWhatHangsAsWell() throws Exception {
        publishWithoutProof();
        outbox.sql("SELECT pg_drop_replication_slot('" + outbox.settings().slot() + "')");
        markers.lose(markers.written());

        assertThat(Repairs.of(settings, outbox, new ArrayList<>(), null).run(false, Duration.ofSeconds(20)))
                .isTrue();

        streamTheRest();
        assertThat(outbox.ids()).hasSize(45);
        outbox.assertEachMessageIsPublishedOnceAndProvedOnce();
    }

    @Test
    void copiesThatHangOfAPublishedBatchHalt() throws Exception {
        int published = publishWithoutProof();
        Path partition = markers.written(outbox.topic("due-notice")).get(0);
        markers.lose(List.of(partition));

        HaltReason reason = halts();

        assertThat(reason.detail()).contains(partition.getFileName() + " from offset", "has no evidence yet");
        assertThat(reason.remedy()).contains("kafka-transactions.sh abort");
        assertThat(outbox.idsOn("statistics")).doesNotHaveDuplicates().hasSize(20 + published);
    }

    @Test
    void aPositionThatHangsWhileItsMessagesAreCommittedHalts() throws Exception {
        int published = publishWithoutProof();
        markers.lose(markers.written(outbox.settings().namespace().positionTopic()));

        assertThat(halts().detail()).contains(".relay.position-0 from offset", "other partitions have its outcome");
        assertThat(outbox.idsOn("due-notice")).doesNotHaveDuplicates().hasSize(20 + published);
    }

    @Test
    void aTransactionThatHangsAndHasEvidenceHalts() throws Exception {
        publishWithoutProof();
        try (RunningRelay relay = RunningRelay.start(settings).awaitStreaming()) {
            outbox.awaitDispatched();
        }
        markers.lose(markers.written());

        assertThat(halts().detail()).contains("evidence says that its messages are published");
    }

    @Test
    void whatAnAbortedTransactionLeftOnOneTopicIsAborted() throws Exception {
        try (Producer<String, String> earlier = producer(outbox.settings().publisher())) {
            earlier.initTransactions();
            earlier.beginTransaction();
            earlier.send(message("due-notice", UUID.randomUUID()));
            earlier.send(message("statistics", UUID.randomUUID()));
            earlier.flush();
            earlier.abortTransaction();
        }
        awaitStable();
        markers.lose(markers.written(outbox.topic("due-notice")));

        streamTheRest();

        outbox.assertEachMessageIsPublishedOnceAndProvedOnce();
    }

    @Test
    void aPositionThatHangsAloneIsCommitted() throws Exception {
        Position before = outbox.position();
        try (KafkaPublisher earlier = KafkaPublisher.open(outbox.settings().publisher())) {
            earlier.publishPosition(before.acknowledging(before.fence() + 7, before.ack()));
        }
        assertThat(outbox.position().fence()).isEqualTo(before.fence() + 7);
        markers.lose(markers.written());
        assertThat(outbox.position()).isEqualTo(before);

        streamTheRest();

        assertThat(outbox.column("SELECT max(fence) FROM outbox.dispatch_batch"))
                .containsExactly(Long.toString(before.fence() + 8));
        outbox.assertEachMessageIsPublishedOnceAndProvedOnce();
    }

    @Test
    void anOperatorsOpenTransactionIsNotTheRelaysConcern() throws Exception {
        try (Producer<String, String> operator = producer(outbox.settings().operator())) {
            operator.initTransactions();
            operator.beginTransaction();
            operator.send(message("due-notice", UUID.randomUUID()));
            operator.flush();

            try (RunningRelay relay = RunningRelay.start(settings).awaitStreaming()) {
                insert(5);
                outbox.awaitDispatched();
            }
            operator.abortTransaction();
        }
        outbox.assertEachMessageIsPublishedOnceAndProvedOnce();
    }

    /**
     * The transaction is committed when the broker dies, and the relay does not know.
     *
     * @return how many messages it has
     */
    private int publishWithoutProof() throws Exception {
        outbox.sql("CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS"
                + " $$ BEGIN RAISE EXCEPTION 'told to fail'; END $$");
        outbox.sql("CREATE TRIGGER refuses BEFORE INSERT ON outbox.dispatch_batch"
                + " FOR EACH ROW EXECUTE FUNCTION refuse()");
        long batch = outbox.position().batch();
        try (RunningRelay relay = RunningRelay.start(settings).awaitStreaming()) {
            insert(20);
            await().atMost(WAIT).until(() -> outbox.position().batch() > batch);
        }
        outbox.sql("DROP TRIGGER refuses ON outbox.dispatch_batch");
        return outbox.position().batchMessages();
    }

    private HaltReason halts() throws Exception {
        try (RunningRelay relay = RunningRelay.start(settings)) {
            HaltReason reason = relay.awaitHalted();
            assertThat(reason.cause()).isEqualTo(HaltReason.Cause.TRANSACTION_UNDECIDED);
            relay.awaitHaltedAgain();
            return reason;
        }
    }

    /** As the relay's, but left to the test. */
    private static Producer<String, String> producer(PublisherSettings settings) {
        return new KafkaProducer<>(
                settings.kafka().with(Map.of("transactional.id", settings.transactionalId())),
                new StringSerializer(),
                new StringSerializer());
    }

    private ProducerRecord<String, String> message(String handler, UUID id) {
        ProducerRecord<String, String> message = new ProducerRecord<>(outbox.topic(handler), 0, "copy-1", "{}");
        message.headers()
                .add(MessageHeaders.CE_ID, id.toString().getBytes(StandardCharsets.UTF_8))
                .add(MessageHeaders.STAGED_AT, Instant.now().toString().getBytes(StandardCharsets.UTF_8));
        return message;
    }

    /** A broker answers before it has written the markers. */
    private void awaitStable() throws InterruptedException {
        try (UndecidedPartitions partitions = new UndecidedPartitions(
                outbox.settings().publisher(),
                "",
                Map.of(outbox.topic("due-notice"), 3, outbox.topic("statistics"), 3))) {
            assertThat(partitions.await()).isEmpty();
        }
    }

    private void streamTheRest() throws Exception {
        try (RunningRelay relay = RunningRelay.start(settings).awaitStreaming()) {
            insert(5);
            outbox.awaitDispatched();
        }
    }

    /** Each with a key of its own, so that every partition gets some. */
    private void insert(int rows) {
        outbox.sql(Outbox.insertStatement(rows, "copy-").replace("'copy-'", "'copy-' || n"));
    }
}
