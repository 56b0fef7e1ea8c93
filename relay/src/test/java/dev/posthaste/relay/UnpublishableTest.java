package dev.posthaste.relay;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.posthaste.relay.source.Lsn;
import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.Stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Until there is a quarantine, a message that cannot be published halts the relay, and nothing passes it. */
@PosthasteStack
class UnpublishableTest {

    private static final String LATER_TYPE = "library.fine-waived";

    @Test
    void anUnknownTypeHaltsUntilTheCatalogKnowsItAndNothingIsLostOrDoubled(Stack stack, @TempDir Path directory)
            throws Exception {
        Outbox outbox = Outbox.initialised(stack, directory);
        try (RunningRelay relay = RunningRelay.start(outbox.settings()).awaitStreaming()) {
            outbox.sql("BEGIN; " + Outbox.insertStatement(3, "before") + "; "
                    + Outbox.insertStatement(1, "unknown").replace(Outbox.TYPE, LATER_TYPE) + "; COMMIT");
            Lsn committed =
                    Lsn.parse(outbox.column("SELECT pg_current_wal_lsn()").get(0));
            outbox.insert(2, "after");

            HaltReason reason = relay.awaitHalted();

            assertThat(reason.cause()).isEqualTo(HaltReason.Cause.MESSAGE_UNPUBLISHABLE);
            assertThat(reason.detail()).contains(LATER_TYPE, "events/" + LATER_TYPE + ".yaml");
            relay.awaitHaltedAgain();
            assertThat(outbox.records("due-notice")).hasSize(3).allMatch(message -> message.key()
                    .equals("before"));
            assertThat(outbox.dispatched()).isEqualTo(3);
            assertThat(outbox.slot().isBefore(committed)).isTrue();
            assertThat(outbox.position().ack().isBefore(committed)).isTrue();

            TestCatalog.event(outbox.catalog(), LATER_TYPE, "integration-event");
            outbox.awaitDispatched();
        }
        List<UUID> known = outbox
                .column("SELECT id FROM outbox.message WHERE type = '" + Outbox.TYPE + "' ORDER BY staged_xid, ctid")
                .stream()
                .map(UUID::fromString)
                .toList();
        assertThat(outbox.idsOn("due-notice"))
                .containsExactlyInAnyOrderElementsOf(known)
                .hasSize(5);
        assertThat(outbox.idsOn("statistics")).containsExactlyInAnyOrderElementsOf(known);
        assertThat(outbox.dispatched()).isEqualTo(6);
    }

    @Test
    void aMessageLargerThanATopicTakesHaltsNamingItUntilTheTopicTakesIt(Stack stack, @TempDir Path directory)
            throws Exception {
        Outbox outbox = Outbox.initialised(stack, directory);
        String topic = outbox.topic("statistics");
        limit(stack, topic, 100_000);
        try (RunningRelay relay = RunningRelay.start(outbox.settings()).awaitStreaming()) {
            outbox.insert(3, "before");
            outbox.awaitDispatched();
            UUID id = stageLarge(outbox);
            outbox.insert(2, "after");

            HaltReason reason = relay.awaitHalted();

            assertThat(reason.cause()).isEqualTo(HaltReason.Cause.MESSAGE_UNPUBLISHABLE);
            assertThat(reason.detail()).contains(id.toString(), topic, "200", "max.message.bytes");
            assertThat(outbox.idsOn("due-notice")).hasSize(3);
            assertThat(outbox.idsOn("statistics")).hasSize(3);
            assertThat(outbox.dispatched()).isEqualTo(3);

            limit(stack, topic, 1_000_000);
            outbox.awaitDispatched();
        }
        assertThat(outbox.ids()).hasSize(6);
        outbox.assertEachMessageIsPublishedOnceAndProvedOnce();
    }

    private static UUID stageLarge(Outbox outbox) throws Exception {
        byte[] bytes = new byte[200_000];
        new Random(1).nextBytes(bytes);
        UUID id = UUID.randomUUID();
        try (Connection connection = outbox.connect();
                PreparedStatement insert = connection.prepareStatement(
                        "INSERT INTO outbox.message (id, kind, type, schema_version, key, payload_bytes)"
                                + " VALUES (?, 'integration-event', ?, 1, 'large', ?)")) {
            insert.setObject(1, id);
            insert.setString(2, Outbox.TYPE);
            insert.setBytes(3, bytes);
            insert.executeUpdate();
        }
        return id;
    }

    private static void limit(Stack stack, String topic, int bytes) throws Exception {
        ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        ConfigEntry entry = new ConfigEntry("max.message.bytes", Integer.toString(bytes));
        try (Admin admin =
                Admin.create(Map.of("bootstrap.servers", stack.kafka().bootstrapServers()))) {
            admin.incrementalAlterConfigs(Map.of(resource, List.of(new AlterConfigOp(entry, AlterConfigOp.OpType.SET))))
                    .all()
                    .get();
            await().atMost(Duration.ofSeconds(10)).until(() -> admin.describeConfigs(List.of(resource))
                    .all()
                    .get()
                    .get(resource)
                    .get("max.message.bytes")
                    .value()
                    .equals(entry.value()));
        }
    }
}
