package dev.posthaste.relay;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.posthaste.relay.source.Lsn;
import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.ReportedCase;
import dev.posthaste.testkit.Stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/** What happens to slot, position and registration while the relay is away is noticed and named, never papered over. */
@PosthasteStack
class GapsTest {

    private final List<String> said = new ArrayList<>();
    private Outbox outbox;
    private String slot;
    private Stack stack;

    @BeforeEach
    void publishedAndStopped(Stack running, @TempDir Path directory) throws Exception {
        stack = running;
        outbox = Outbox.initialised(stack, directory);
        slot = outbox.settings().slot();
        try (RunningRelay relay = RunningRelay.start(outbox.settings()).awaitStreaming()) {
            outbox.insert(5, "before");
            outbox.awaitDispatched();
        }
        outbox.insert(5, "in the gap");
    }

    private long slots() {
        return outbox.number("SELECT count(*) FROM pg_replication_slots WHERE database = current_database()");
    }

    private HaltReason haltsWith(HaltReason.Cause cause) throws InterruptedException {
        long slotsBefore = slots();
        try (RunningRelay relay = RunningRelay.start(outbox.settings())) {
            HaltReason reason = relay.awaitHalted();
            assertThat(reason.cause()).isEqualTo(cause);
            assertThat(reason.remedy()).isNotBlank();
            assertThat(slots()).isEqualTo(slotsBefore);
            assertThat(outbox.dispatched()).isEqualTo(5);
            return reason;
        }
    }

    @Test
    @ReportedCase(2)
    void aDroppedSlotHaltsAndIsNotMadeAnew() throws Exception {
        outbox.sql("SELECT pg_drop_replication_slot('" + slot + "')");
        try (RunningRelay relay = RunningRelay.start(outbox.settings())) {
            assertThat(relay.awaitHalted().cause()).isEqualTo(HaltReason.Cause.SLOT_MISSING);
            relay.awaitHaltedAgain();
            assertThat(slots()).isZero();
        }
    }

    @Test
    @ReportedCase(3)
    void aSlotDroppedUnderTheRunningRelayHaltsAndIsNotMadeAnew() throws Exception {
        try (RunningRelay relay = RunningRelay.start(outbox.settings()).awaitStreaming()) {
            outbox.awaitDispatched();
            outbox.sql("DO $$ DECLARE pid int; BEGIN"
                    + " SELECT active_pid INTO STRICT pid FROM pg_replication_slots WHERE slot_name = '" + slot + "';"
                    + " PERFORM pg_terminate_backend(pid, 5000); PERFORM pg_drop_replication_slot('" + slot + "');"
                    + " END $$");
            assertThat(relay.awaitHalted().cause()).isEqualTo(HaltReason.Cause.SLOT_MISSING);
            assertThat(slots()).isZero();
        }
    }

    @Test
    @ReportedCase(2)
    void aSlotDroppedAndMadeAgainHalts() throws Exception {
        outbox.sql("SELECT pg_drop_replication_slot('" + slot + "')");
        outbox.sql("SELECT pg_create_logical_replication_slot('" + slot + "', 'pgoutput')");
        haltsWith(HaltReason.Cause.SLOT_BEYOND_ACK);
    }

    @Test
    @ReportedCase(2)
    void aSlotAdvancedBySomebodyElseHalts() throws Exception {
        outbox.sql("SELECT pg_replication_slot_advance('" + slot + "', pg_current_wal_lsn())");
        HaltReason reason = haltsWith(HaltReason.Cause.SLOT_BEYOND_ACK);
        assertThat(reason.detail())
                .contains(outbox.slot().toString(), outbox.position().ack().toString());
    }

    @Test
    void aSlotOfAnotherPluginHalts() throws Exception {
        outbox.sql("SELECT pg_drop_replication_slot('" + slot + "')");
        outbox.sql("SELECT pg_create_logical_replication_slot('" + slot + "', 'test_decoding')");
        haltsWith(HaltReason.Cause.SLOT_OF_ANOTHER_PLUGIN);
    }

    @Test
    @ReportedCase(43)
    void anEmptyPositionTopicHaltsAndIsNoFirstStart() throws Exception {
        String topic = outbox.settings().namespace().positionTopic();
        try (Admin admin =
                Admin.create(Map.of("bootstrap.servers", stack.kafka().bootstrapServers()))) {
            admin.deleteTopics(List.of(topic)).all().get();
            await().until(() -> !admin.listTopics().names().get().contains(topic));
            admin.createTopics(List.of(new NewTopic(topic, 1, (short) 1))).all().get();
        }
        HaltReason reason = haltsWith(HaltReason.Cause.POSITION_MISSING);
        assertThat(reason.detail()).contains(topic, slot);
    }

    @Test
    @ReportedCase(43)
    void aDeletedPositionTopicHaltsAndIsNoOutage() throws Exception {
        String topic = outbox.settings().namespace().positionTopic();
        try (Admin admin =
                Admin.create(Map.of("bootstrap.servers", stack.kafka().bootstrapServers()))) {
            admin.deleteTopics(List.of(topic)).all().get();
            await().until(() -> !admin.listTopics().names().get().contains(topic));
        }
        haltsWith(HaltReason.Cause.POSITION_MISSING);
    }

    @Test
    void aPositionOfAnUnknownFormatHalts() throws Exception {
        writePosition("{\"format\": 2}");
        assertThat(haltsWith(HaltReason.Cause.POSITION_UNREADABLE).detail()).contains("format 2");
    }

    @Test
    void aPositionOfAnotherServerOfAnotherDatabaseAndOfAYoungerTimelineHalt() throws Exception {
        String ours = positionRecord();
        for (String[] change : new String[][] {
            {"\"systemIdentifier\":\"", "\"systemIdentifier\":\"1"},
            {"\"database\":\"", "\"database\":\"other_"},
            {"\"timeline\":", "\"timeline\":7"}
        }) {
            writePosition(ours.replace(change[0], change[1]));
            HaltReason reason = haltsWith(HaltReason.Cause.POSITION_OF_ANOTHER_DATABASE);
            assertThat(reason.detail()).contains("timeline").doesNotContain("Identity[");
        }
        writePosition(ours);
        try (RunningRelay relay = RunningRelay.start(outbox.settings()).awaitStreaming()) {
            outbox.awaitDispatched();
        }
    }

    private String positionRecord() {
        return TopicReader.readCommitted(
                        stack.kafka().bootstrapServers(),
                        outbox.settings().namespace().positionTopic())
                .stream()
                .reduce((first, second) -> second)
                .map(message -> new String(message.value(), StandardCharsets.UTF_8))
                .orElseThrow();
    }

    private void writePosition(String json) throws Exception {
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", stack.kafka().bootstrapServers()),
                new StringSerializer(),
                new StringSerializer())) {
            producer.send(new ProducerRecord<>(outbox.settings().namespace().positionTopic(), slot, json))
                    .get();
        }
    }

    @Test
    void aSourceThatIsNotRegisteredHalts() throws Exception {
        outbox.sql("DELETE FROM relay.source");
        haltsWith(HaltReason.Cause.SOURCE_NOT_REGISTERED);
    }

    @Test
    void aCatalogThatCannotBeReadHalts() throws Exception {
        Outbox.writeString(outbox.catalog().resolve("events/" + Outbox.TYPE + ".yaml"), "type: only");
        haltsWith(HaltReason.Cause.CATALOG_INVALID);
    }

    @Test
    void evidenceThatWasDeletedHalts() throws Exception {
        publishAllAndLetTheSlotPass();
        outbox.sql("DELETE FROM outbox.dispatch_batch WHERE batch = "
                + outbox.position().batch());
        try (RunningRelay relay = RunningRelay.start(outbox.settings())) {
            assertThat(relay.awaitHalted().cause()).isEqualTo(HaltReason.Cause.EVIDENCE_INCOMPLETE);
        }
        assertThat(outbox.idsOn("due-notice")).hasSize(10);

        assertThat(Repairs.of(outbox, said).run(false, Duration.ofSeconds(10)))
                .as("repair, not told of it")
                .isFalse();
        assertThat(said).anyMatch(line -> line.contains("--cause EVIDENCE_INCOMPLETE"));
        assertThat(Repairs.of(outbox, said, HaltReason.Cause.EVIDENCE_INCOMPLETE)
                        .run(false, Duration.ofSeconds(10)))
                .isTrue();
        assertNothingIsPublishedTwiceAfterwards();
    }

    @Test
    void evidenceOfSeveralBatchesThatWasDeletedHaltsAndIsSeenByRepair() throws Exception {
        publishAllAndLetTheSlotPass();
        outbox.sql("DELETE FROM outbox.dispatch_batch");
        try (RunningRelay relay = RunningRelay.start(outbox.settings())) {
            HaltReason reason = relay.awaitHalted();
            assertThat(reason.cause()).isEqualTo(HaltReason.Cause.EVIDENCE_INCOMPLETE);
            assertThat(reason.detail())
                    .contains("batches up to " + outbox.position().batch(), "beyond batch 0");
        }
        assertThat(Repairs.of(outbox, said).run(false, Duration.ofSeconds(10))).isTrue();
        assertNothingIsPublishedTwiceAfterwards();
    }

    private void publishAllAndLetTheSlotPass() throws Exception {
        try (RunningRelay relay = RunningRelay.start(outbox.settings()).awaitStreaming()) {
            outbox.awaitDispatched();
            Lsn published =
                    Lsn.parse(outbox.column("SELECT pg_current_wal_lsn()").get(0));
            await().atMost(Duration.ofSeconds(20)).until(() -> published.isBefore(outbox.slot()));
        }
        assertThat(outbox.position().batch()).isGreaterThan(1);
    }

    private void assertNothingIsPublishedTwiceAfterwards() throws Exception {
        outbox.insert(2, "after");
        try (RunningRelay relay = RunningRelay.start(outbox.settings())) {
            outbox.awaitDispatched();
        }
        assertThat(outbox.idsOn("due-notice"))
                .containsExactlyInAnyOrderElementsOf(outbox.ids())
                .hasSize(12);
    }

    @Test
    void aPositionThatIsDamagedIsRepairedOnRequest() throws Exception {
        writePosition("{\"format\": 1}");
        haltsWith(HaltReason.Cause.POSITION_UNREADABLE);
        assertThatThrownBy(() -> Repairs.of(outbox, said).run(false, Duration.ofSeconds(10)))
                .hasMessageContaining("--cause POSITION_UNREADABLE");

        assertThat(Repairs.of(outbox, said, HaltReason.Cause.POSITION_UNREADABLE)
                        .run(false, Duration.ofSeconds(10)))
                .isTrue();

        try (RunningRelay relay = RunningRelay.start(outbox.settings())) {
            outbox.awaitDispatched();
        }
        outbox.assertEachMessageIsPublishedOnceAndProvedOnce();
    }

    @Test
    void aRepairUnderAnotherNamespaceSaysWhomTheSlotServes() {
        assertThatThrownBy(() -> Repairs.of(outbox.withNamespace("another-one"), outbox, said, null)
                        .examine())
                .hasMessageContaining("SOURCE_NOT_REGISTERED")
                .hasMessageContaining(slot + " is registered for namespace "
                        + outbox.settings().namespace());
    }

    @Test
    void evidenceThatWasDeletedWhileTheSlotCanStillSendTheBatchIsWrittenAgain() throws Exception {
        Lsn slotBefore = outbox.slot();
        long last = outbox.number("SELECT max(batch) FROM outbox.dispatch_batch");
        List<String> ids = outbox.column("SELECT unnest(message_ids) FROM outbox.dispatch_batch WHERE batch = " + last);
        assertThat(outbox.position().lastCommit().isBefore(slotBefore))
                .as("the batch is sent again")
                .isFalse();
        outbox.sql("DELETE FROM outbox.dispatch_batch WHERE batch = " + last);
        try (RunningRelay relay = RunningRelay.start(outbox.settings()).awaitStreaming()) {
            outbox.awaitDispatched();
        }
        assertThat(outbox.column("SELECT unnest(message_ids) FROM outbox.dispatch_batch WHERE batch = " + last))
                .isEqualTo(ids);
        outbox.assertEachMessageIsPublishedOnceAndProvedOnce();
    }
}
