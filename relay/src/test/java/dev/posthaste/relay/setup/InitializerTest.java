package dev.posthaste.relay.setup;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.posthaste.relay.Outbox;
import dev.posthaste.relay.publishing.Position;
import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.Stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

@PosthasteStack
class InitializerTest {

    private static long slots(Outbox outbox) {
        return outbox.number("SELECT count(*) FROM pg_replication_slots WHERE database = current_database()");
    }

    @Test
    void theFirstTimeMakesEverythingAndTheSecondFindsItThereAndChangesNothing(Stack stack, @TempDir Path directory)
            throws Exception {
        Outbox outbox = Outbox.bare(stack, directory);

        List<String> first = outbox.initialise();
        Position position = outbox.position();
        Map<String, String> topics = topicIds(stack, outbox);
        List<String> tables = tables(outbox);
        List<String> second = outbox.initialise();

        assertThat(first.stream().filter(line -> line.startsWith("there ")))
                .containsExactly("there outbox: daily partitions for the week ahead"); // the migration made them
        assertThat(second).hasSameSizeAs(first).allMatch(line -> line.startsWith("there "));
        assertThat(topics.keySet())
                .containsExactlyInAnyOrder(
                        outbox.topic("due-notice"),
                        outbox.topic("due-notice.retry"),
                        outbox.topic("due-notice.dlt"),
                        outbox.topic("statistics"),
                        outbox.topic("statistics.retry"),
                        outbox.topic("statistics.dlt"),
                        outbox.topic("outcomes"),
                        outbox.topic("relay.position"));
        assertThat(topicIds(stack, outbox)).isEqualTo(topics);
        assertThat(tables(outbox)).isEqualTo(tables);
        assertThat(outbox.position()).isEqualTo(position);
        assertThat(position.lastCommit()).isEqualTo(outbox.slot());
        assertThat(slots(outbox)).isEqualTo(1);
    }

    @Test
    void whatIsMissingIsMadeAndTheRestLeftAlone(Stack stack, @TempDir Path directory) throws Exception {
        Outbox outbox = Outbox.initialised(stack, directory);
        deleteTopic(stack, outbox.topic("statistics.dlt"));

        assertThat(outbox.initialise().stream().filter(line -> line.startsWith("made ")))
                .containsExactly("made topic " + outbox.topic("statistics.dlt"));
    }

    @Test
    void aMissingSlotIsNotMadeWhereAPositionExists(Stack stack, @TempDir Path directory) {
        Outbox outbox = Outbox.initialised(stack, directory);
        outbox.sql("SELECT pg_drop_replication_slot('" + outbox.settings().slot() + "')");

        assertThatThrownBy(() -> outbox.initialise(outbox.settings(), true))
                .isInstanceOf(SetupException.class)
                .hasMessageContaining(outbox.settings().slot())
                .hasMessageContaining("position");
        assertThat(slots(outbox)).isZero();
    }

    @Test
    void aMissingPositionIsNotMadeWhereEvidenceExists(Stack stack, @TempDir Path directory) throws Exception {
        Outbox outbox = Outbox.initialised(stack, directory);
        outbox.sql("INSERT INTO outbox.dispatch_batch (slot, batch, attempt, fence, position, catalog_version, staged,"
                + " message_ids) VALUES ('" + outbox.settings().slot()
                + "', 1, 1, 2, '0/1', 'v', tstzrange(now(), now(), '[]'), ARRAY[gen_random_uuid()])");
        String topic = outbox.settings().namespace().positionTopic();
        deleteTopic(stack, topic);

        assertThatThrownBy(() -> outbox.initialise(outbox.settings(), true))
                .isInstanceOf(SetupException.class)
                .hasMessageContaining(topic)
                .hasMessageContaining("evidence");
    }

    @Test
    void messagesStagedBeforeTheSlotAreRefusedAndTheSlotIsTakenBack(Stack stack, @TempDir Path directory)
            throws Exception {
        Outbox outbox = Outbox.bare(stack, directory);
        new TableSetup(outbox.settings().database()).migrateOutbox();
        outbox.insert(3, "early");

        assertThatThrownBy(() -> outbox.initialise(outbox.settings(), false))
                .isInstanceOf(SetupException.class)
                .hasMessageContaining("3 messages")
                .hasMessageContaining("--leave-earlier");
        assertThat(slots(outbox)).isZero();

        assertThat(outbox.initialise(outbox.settings(), true)).anyMatch(line -> line.startsWith("made slot"));
        assertThat(slots(outbox)).isEqualTo(1);
    }

    @Test
    void messagesLeftEarlierAreLeftAtTheNextInitToo(Stack stack, @TempDir Path directory) throws Exception {
        Outbox outbox = Outbox.bare(stack, directory);
        new TableSetup(outbox.settings().database()).migrateOutbox();
        outbox.insert(3, "early");
        outbox.initialise(outbox.settings(), true);

        assertThat(outbox.initialise(outbox.settings(), false)).allMatch(line -> line.startsWith("there "));
    }

    @Test
    void messagesThatWaitBesideASlotMadeByHandAreCountedAndRefused(Stack stack, @TempDir Path directory)
            throws Exception {
        Outbox outbox = Outbox.bare(stack, directory);
        new TableSetup(outbox.settings().database()).migrateOutbox();
        outbox.insert(3, "early");
        outbox.sql("SELECT pg_create_logical_replication_slot('"
                + outbox.settings().slot() + "', 'pgoutput')");
        outbox.insert(1, "later");

        assertThatThrownBy(() -> outbox.initialise(outbox.settings(), false))
                .isInstanceOf(SetupException.class)
                .hasMessageContaining("4 messages")
                .hasMessageContaining("posthaste repair")
                .hasMessageContaining("--leave-earlier");

        assertThat(outbox.initialise(outbox.settings(), true)).anyMatch(line -> line.startsWith("made first position"));
    }

    @Test
    void anotherSlotForTheSameNamespaceIsRefused(Stack stack, @TempDir Path directory) {
        Outbox outbox = Outbox.initialised(stack, directory);

        assertThatThrownBy(() -> outbox.initialise(outbox.withSlot("another_slot"), false))
                .isInstanceOf(SetupException.class)
                .hasMessageContaining(outbox.settings().slot())
                .hasMessageContaining(outbox.settings().namespace().name());
        assertThat(slots(outbox)).isEqualTo(1);
    }

    @Test
    void anotherNamespaceForTheSameSlotIsRefused(Stack stack, @TempDir Path directory) {
        Outbox outbox = Outbox.initialised(stack, directory);

        assertThatThrownBy(() -> outbox.initialise(outbox.withNamespace("another"), false))
                .isInstanceOf(SetupException.class)
                .hasMessageContaining(outbox.settings().slot());
    }

    private static List<String> tables(Outbox outbox) {
        return outbox.column("SELECT oid::regclass::text || ' ' || oid || ' ' || relfilenode FROM pg_class"
                + " WHERE relnamespace IN ('outbox'::regnamespace, 'relay'::regnamespace) ORDER BY 1");
    }

    private static Map<String, String> topicIds(Stack stack, Outbox outbox) throws Exception {
        try (Admin admin =
                Admin.create(Map.of("bootstrap.servers", stack.kafka().bootstrapServers()))) {
            return admin.listTopics().listings().get().stream()
                    .filter(topic -> topic.name().startsWith(outbox.settings().namespace() + "."))
                    .collect(Collectors.toMap(
                            topic -> topic.name(), topic -> topic.topicId().toString()));
        }
    }

    private static void deleteTopic(Stack stack, String topic) throws Exception {
        try (Admin admin =
                Admin.create(Map.of("bootstrap.servers", stack.kafka().bootstrapServers()))) {
            admin.deleteTopics(List.of(topic)).all().get();
            await().until(() -> !admin.listTopics().names().get().contains(topic));
        }
    }
}
