package dev.posthaste.relay;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.posthaste.relay.health.RelayMeters;
import dev.posthaste.relay.lease.FencedException;
import dev.posthaste.schemas.MessageHeaders;
import dev.posthaste.schemas.catalog.CatalogReader;
import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.ReportedCase;
import dev.posthaste.testkit.Stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

@PosthasteStack
class RepairTest {

    private final Stack stack;
    private final List<String> said = new ArrayList<>();
    private Outbox outbox;

    RepairTest(Stack stack) {
        this.stack = stack;
    }

    @BeforeEach
    void initialise(@TempDir Path directory) throws Exception {
        outbox = Outbox.initialised(stack, directory);
        try (RunningRelay relay = RunningRelay.start(outbox.settings()).awaitStreaming()) {
            outbox.insert(7, "copy-1");
            awaitNothingPending();
        }
    }

    @Test
    @ReportedCase(2)
    void reportedCase2_aDroppedSlotIsRepairedAndNothingIsLostOrDoubled() throws Exception {
        outbox.insert(1200, "copy-2"); // more than a batch
        dropSlot();
        outbox.insert(3, "copy-3");

        assertThat(repair().run(false, Duration.ofSeconds(10))).isTrue();

        outbox.insert(5, "copy-4");
        streamUntilNothingIsPending();
        assertEverythingArrivedOnce(1215);
        assertThat(outbox.records("statistics"))
                .filteredOn(message -> "repair".equals(TopicReader.header(message, MessageHeaders.REPLAY)))
                .hasSize(1203)
                .extracting(org.apache.kafka.clients.consumer.ConsumerRecord::key)
                .containsOnly("copy-2", "copy-3");
    }

    @Test
    void oneIdStagedTwiceIsTwoMessagesForRepairAsWell() throws Exception {
        UUID id = outbox.ids().get(0); // published a moment ago
        dropSlot();
        outbox.sql("INSERT INTO outbox.message (id, kind, type, schema_version, key, payload) VALUES ('" + id
                + "', 'integration-event', '" + Outbox.TYPE + "', 1, 'copy-again', '{}')");
        assertThat(outbox.number("SELECT messages FROM outbox.pending_summary()"))
                .isEqualTo(1);

        assertThat(repair().run(false, Duration.ofSeconds(10))).isTrue();

        streamUntilNothingIsPending();
        assertThat(outbox.idsOn("due-notice")).hasSize(8).filteredOn(id::equals).hasSize(2);
        assertThat(outbox.column("SELECT DISTINCT state FROM outbox.record")).containsExactly("dispatched");
    }

    @Test
    @ReportedCase(2)
    void anAdvancedSlotIsRepaired() throws Exception {
        outbox.insert(4, "copy-2");
        outbox.sql("SELECT pg_replication_slot_advance('" + outbox.settings().slot() + "', pg_current_wal_lsn())");

        assertThat(repair().run(false, Duration.ofSeconds(10))).isTrue();

        streamUntilNothingIsPending();
        assertEverythingArrivedOnce(11);
    }

    @Test
    void whereThereIsNoGapNothingIsDone() throws Exception {
        outbox.insert(4, "copy-2");

        assertThat(repair().run(false, Duration.ofSeconds(10))).isFalse();
        assertThat(repair().run(false, Duration.ofSeconds(10))).isFalse();

        assertThat(said).containsOnly("there is no gap: position and slot fit");
        streamUntilNothingIsPending();
        assertEverythingArrivedOnce(11);
    }

    @Test
    void aDryRunCountsAndChangesNothing() throws Exception {
        outbox.insert(4, "copy-2");
        dropSlot();

        HaltReason gap = repair().examine();

        assertThat(gap).isNotNull();
        assertThat(gap.cause()).isEqualTo(HaltReason.Cause.SLOT_MISSING);
        assertThat(said).anyMatch(line -> line.startsWith("4 messages would be published"));
        assertThat(outbox.number("SELECT count(*) FROM pg_replication_slots WHERE slot_name = '"
                        + outbox.settings().slot() + "'"))
                .isZero();
        assertThat(outbox.records("due-notice")).hasSize(7);
    }

    @Test
    void aRepairThatDiedAfterPublishingIsRunAgainAndPublishesNothingTwice() throws Exception {
        outbox.insert(1200, "copy-2");
        dropSlot();
        // The evidence of the second batch is refused, as if the process had died between Kafka's commit and the
        // evidence.
        outbox.sql("CREATE FUNCTION public.die() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN " + "IF NEW.batch = "
                + (outbox.position().batch() + 2) + " THEN RAISE EXCEPTION 'killed'; END IF; RETURN NEW; END $$");
        outbox.sql(
                "CREATE TRIGGER die BEFORE INSERT ON outbox.dispatch_batch FOR EACH ROW EXECUTE FUNCTION public.die()");
        assertThatThrownBy(() -> repair().run(false, Duration.ofSeconds(10))).hasMessageContaining("killed");
        assertThat(outbox.records("due-notice").size()).isGreaterThan(7).isLessThan(1207);
        outbox.sql("DROP TRIGGER die ON outbox.dispatch_batch");
        try (RunningRelay relay = RunningRelay.start(outbox.settings())) {
            assertThat(relay.awaitHalted().cause())
                    .as("the gap is still there")
                    .isEqualTo(HaltReason.Cause.SLOT_BEYOND_ACK);
        }

        assertThat(repair().run(false, Duration.ofSeconds(10))).isTrue();

        streamUntilNothingIsPending();
        assertEverythingArrivedOnce(1207);
    }

    @Test
    void writersDuringRepairLoseAndDoubleNothing() throws Exception {
        dropSlot();
        AtomicBoolean over = new AtomicBoolean();
        List<Thread> writers = new ArrayList<>();
        for (int writer = 0; writer < 4; writer++) {
            String key = "writer-" + writer;
            Thread thread = new Thread(() -> {
                while (!over.get()) {
                    outbox.insert(3, key);
                }
            });
            thread.start();
            writers.add(thread);
        }
        try {
            await().until(() -> outbox.number("SELECT count(*) FROM outbox.message") > 100);
            assertThat(repair().run(false, Duration.ofSeconds(10))).isTrue();
            long during = outbox.number("SELECT count(*) FROM outbox.message");
            await().until(() -> outbox.number("SELECT count(*) FROM outbox.message") > during + 100);
        } finally {
            over.set(true);
            for (Thread thread : writers) {
                thread.join();
            }
        }
        streamUntilNothingIsPending();
        assertEverythingArrivedOnce((int) outbox.number("SELECT count(*) FROM outbox.message"));
        assertThat(outbox.records("due-notice"))
                .as("some were repaired, some streamed")
                .anyMatch(message -> "repair".equals(TopicReader.header(message, MessageHeaders.REPLAY)))
                .anyMatch(message -> TopicReader.header(message, MessageHeaders.REPLAY) == null);
    }

    @Test
    void aRepairIsRefusedWhileARelayLeads() throws Exception {
        try (RunningRelay relay = RunningRelay.start(outbox.settings()).awaitStreaming()) {
            assertThatThrownBy(() -> repair().run(false, Duration.ofSeconds(1)))
                    .isInstanceOf(FencedException.class)
                    .hasMessageContaining("a relay leads");
            outbox.insert(1, "copy-2");
            awaitNothingPending();
        }
        assertEverythingArrivedOnce(8);
    }

    @Test
    @ReportedCase(42)
    void reportedCase42_aDatabaseThatLacksWhatWasPublishedHaltsAndIsRebasedAndNoNewMessageIsSwallowed()
            throws Exception {
        // What a restore from an older backup leaves: neither the last messages nor their evidence.
        outbox.sql("ALTER TABLE outbox.message DISABLE TRIGGER ALL");
        outbox.sql("DELETE FROM outbox.message");
        outbox.sql("DELETE FROM outbox.dispatch_batch");
        outbox.insert(2, "copy-2");
        try (RunningRelay relay = RunningRelay.start(outbox.settings())) {
            assertThat(relay.awaitHalted().cause()).isEqualTo(HaltReason.Cause.DATABASE_OLDER_THAN_POSITION);
        }
        assertThatThrownBy(() -> repair().run(false, Duration.ofSeconds(10)))
                .isInstanceOf(HaltException.class)
                .hasMessageContaining("position rebase");

        assertThat(repair().run(true, Duration.ofSeconds(10))).isTrue();

        outbox.insert(3, "copy-3");
        streamUntilNothingIsPending();
        List<UUID> onTopic = outbox.idsOn("due-notice");
        assertThat(onTopic).hasSize(12).doesNotHaveDuplicates().containsAll(outbox.ids());
    }

    @Test
    void aRebaseThatDiedLeavesAGapThoughTheWalHasGrownBeyondTheOldPosition() throws Exception {
        outbox.sql("ALTER TABLE outbox.message DISABLE TRIGGER ALL");
        outbox.sql("DELETE FROM outbox.message");
        outbox.sql("DELETE FROM outbox.dispatch_batch");
        outbox.insert(1200, "copy-2");
        outbox.sql("CREATE FUNCTION public.die() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN " + "IF NEW.batch > "
                + (outbox.position().batch() + 1) + " THEN RAISE EXCEPTION 'killed'; END IF; RETURN NEW; END $$");
        outbox.sql(
                "CREATE TRIGGER die BEFORE INSERT ON outbox.dispatch_batch FOR EACH ROW EXECUTE FUNCTION public.die()");
        assertThatThrownBy(() -> repair().run(true, Duration.ofSeconds(10))).hasMessageContaining("killed");
        assertThat(outbox.number("SELECT count(*) FROM outbox.dispatch_batch"))
                .as("a batch was proved")
                .isEqualTo(1);
        outbox.sql("DROP TRIGGER die ON outbox.dispatch_batch");
        try (RunningRelay relay = RunningRelay.start(outbox.settings())) {
            assertThat(relay.awaitHalted().cause()).isEqualTo(HaltReason.Cause.SLOT_BEYOND_ACK);
        }

        assertThat(repair().run(false, Duration.ofSeconds(10))).isTrue();

        streamUntilNothingIsPending();
        assertThat(outbox.idsOn("due-notice"))
                .hasSize(1207)
                .doesNotHaveDuplicates()
                .containsAll(outbox.ids());
    }

    @Test
    @ReportedCase(43)
    void reportedCase43_aLostPositionIsRepairedFromEvidenceAndTopics() throws Exception {
        outbox.insert(4, "copy-2");
        emptyPositionTopic();
        try (RunningRelay relay = RunningRelay.start(outbox.settings())) {
            assertThat(relay.awaitHalted().cause()).isEqualTo(HaltReason.Cause.POSITION_MISSING);
        }

        assertThat(repair().run(false, Duration.ofSeconds(10))).isTrue();

        streamUntilNothingIsPending();
        assertEverythingArrivedOnce(11);
    }

    private Repair repair() {
        return new Repair(
                outbox.settings(),
                "repair-" + UUID.randomUUID(),
                CatalogReader.read(outbox.catalog()),
                new RelayMeters(new SimpleMeterRegistry()),
                said::add);
    }

    private void emptyPositionTopic() throws Exception {
        String topic = outbox.settings().namespace().positionTopic();
        try (Admin admin =
                Admin.create(Map.of("bootstrap.servers", stack.kafka().bootstrapServers()))) {
            admin.deleteTopics(List.of(topic)).all().get();
            await().until(() -> !admin.listTopics().names().get().contains(topic));
            await().ignoreExceptions().until(() -> {
                admin.createTopics(List.of(new NewTopic(topic, 1, (short) 1)))
                        .all()
                        .get();
                return true;
            });
        }
    }

    private void dropSlot() {
        outbox.sql("SELECT pg_drop_replication_slot('" + outbox.settings().slot() + "')");
    }

    private void streamUntilNothingIsPending() throws Exception {
        try (RunningRelay relay = RunningRelay.start(outbox.settings()).awaitStreaming()) {
            awaitNothingPending();
        }
    }

    private void awaitNothingPending() {
        await().atMost(Duration.ofSeconds(60))
                .until(() -> outbox.number("SELECT messages FROM outbox.pending_summary()") == 0);
    }

    private void assertEverythingArrivedOnce(int messages) {
        for (String handler : List.of("due-notice", "statistics")) {
            assertThat(outbox.idsOn(handler)).hasSize(messages).containsExactlyInAnyOrderElementsOf(outbox.ids());
        }
    }
}
