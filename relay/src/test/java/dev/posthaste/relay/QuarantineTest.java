package dev.posthaste.relay;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.posthaste.relay.publishing.KafkaPublisher;
import dev.posthaste.relay.quarantine.QuarantineDesk;
import dev.posthaste.relay.quarantine.QuarantinedMessage;
import dev.posthaste.relay.quarantine.Release;
import dev.posthaste.relay.quarantine.StillUnpublishableException;
import dev.posthaste.relay.routing.Router;
import dev.posthaste.schemas.MessageHeaders;
import dev.posthaste.schemas.catalog.CatalogReader;
import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.ReportedCase;
import dev.posthaste.testkit.Stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/** Reported cases 7 and 8: a row that cannot be published is set aside with its reason, and later rows flow. */
@PosthasteStack
class QuarantineTest {

    private static final QuarantineDesk.Responsibility SOMEBODY =
            new QuarantineDesk.Responsibility("ada", "the catalog was late");

    private final Stack stack;
    private Outbox outbox;

    QuarantineTest(Stack stack) {
        this.stack = stack;
    }

    @BeforeEach
    void initialise(@TempDir Path directory) {
        outbox = Outbox.initialised(stack, directory);
    }

    @Test
    @ReportedCase(7)
    void reportedCase7_aRowOfAnUnknownTypeIsSetAsideWithItsReasonAndLaterRowsFlow() throws Exception {
        try (RunningRelay relay = RunningRelay.start(outbox.settings()).awaitStreaming()) {
            outbox.insert(3, "copy-1");
            UUID poison = insertOfType("library.unheard-of");
            outbox.insert(3, "copy-1");
            awaitNothingPending();
            assertThat(relay.relay().state()).isInstanceOf(RelayState.Streaming.class);
            assertThat(outbox.idsOn("due-notice")).isEqualTo(without(poison)).hasSize(6);
            assertThat(outbox.idsOn("statistics")).isEqualTo(without(poison));
            assertThat(quarantined()).singleElement().satisfies(message -> {
                assertThat(message.messageId()).isEqualTo(poison);
                assertThat(message.handler()).isEqualTo("*");
                assertThat(message.cause()).isEqualTo("UNKNOWN_TYPE");
                assertThat(message.lastError()).contains("library.unheard-of");
            });
            assertThat(outbox.column(
                            "SELECT state || ' ' || last_error FROM outbox.record WHERE id = '" + poison + "'"))
                    .singleElement()
                    .asString()
                    .startsWith("failed its type library.unheard-of is not in the catalog");
        }
    }

    @Test
    @ReportedCase(8)
    void reportedCase8_aPayloadOverOneTopicsLimitIsSetAsideForThatHandlerOnlyAndAMarkerTakesItsPlace()
            throws Exception {
        limit("due-notice", 2000);
        try (RunningRelay relay = RunningRelay.start(outbox.settings()).awaitStreaming()) {
            outbox.insert(2, "copy-1");
            UUID large = insertWithPayload("{\"filler\": \"" + incompressible(6000) + "\"}");
            outbox.insert(2, "copy-1");
            awaitNothingPending();

            assertThat(outbox.idsOn("statistics")).isEqualTo(outbox.ids()).hasSize(5);
            List<ConsumerRecord<String, byte[]>> records = outbox.records("due-notice");
            assertThat(records).extracting(TopicReader::id).isEqualTo(outbox.ids());
            assertThat(records.get(2)).satisfies(marker -> {
                assertThat(TopicReader.id(marker)).isEqualTo(large);
                assertThat(marker.value()).isNull();
                assertThat(marker.key()).isEqualTo("copy-1");
                assertThat(TopicReader.header(marker, MessageHeaders.QUARANTINED))
                        .isEqualTo("true");
            });
            assertThat(quarantined()).singleElement().satisfies(message -> {
                assertThat(message.messageId()).isEqualTo(large);
                assertThat(message.handler()).isEqualTo("due-notice");
                assertThat(message.cause()).isEqualTo("TOO_LARGE");
                assertThat(message.lastError()).doesNotContain("filler");
            });

            // Tried again by itself: refused while the limit stands, released once it is raised.
            outbox.sql("UPDATE outbox.quarantined SET next_attempt = now()");
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> outbox.number(
                                    "SELECT count(*) FROM outbox.quarantined WHERE attempt = 2 AND trying_until IS NULL")
                            == 1);
            assertThat(outbox.records("due-notice")).hasSize(5);
            limit("due-notice", 1_000_000);
            outbox.sql("UPDATE outbox.quarantined SET next_attempt = now()");
            await().atMost(Duration.ofSeconds(30)).until(() -> quarantined().isEmpty());
            assertThat(outbox.records("due-notice")).hasSize(6);
            assertThat(outbox.records("due-notice").get(5)).satisfies(released -> {
                assertThat(TopicReader.id(released)).isEqualTo(large);
                assertThat(new String(released.value(), StandardCharsets.UTF_8)).startsWith("{\"filler\"");
                assertThat(TopicReader.header(released, MessageHeaders.REPLAY)).isEqualTo("release");
            });
            assertThat(relay.relay().state()).isInstanceOf(RelayState.Streaming.class);
        }
    }

    @Test
    @ReportedCase(7)
    void headersThatCannotBeReadAreSetAsideForEveryHandlerOfTheType() throws Exception {
        outbox.sql(
                "ALTER TABLE outbox.message DROP CONSTRAINT headers_is_a_json_object_of_strings_without_reserved_names");
        try (RunningRelay relay = RunningRelay.start(outbox.settings()).awaitStreaming()) {
            outbox.sql("INSERT INTO outbox.message (kind, type, schema_version, key, payload, headers) VALUES "
                    + "('integration-event', '" + Outbox.TYPE
                    + "', 1, 'copy-1', '{}', '{\"number\": {\"nested\": 1}}')");
            outbox.insert(1, "copy-1");
            awaitNothingPending();
        }
        assertThat(quarantined())
                .extracting(QuarantinedMessage::handler)
                .containsExactlyInAnyOrder("due-notice", "statistics");
        assertThat(quarantined()).extracting(QuarantinedMessage::cause).containsOnly("UNREADABLE_HEADERS");
        assertThat(outbox.records("due-notice")).hasSize(2);
    }

    @Test
    @ReportedCase(7)
    void aRowWithNothingWhereSomethingMustBeIsSetAsideAndLaterRowsFlow() throws Exception {
        outbox.sql("ALTER TABLE outbox.message DROP CONSTRAINT exactly_one_of_payload_and_payload_bytes_is_set");
        outbox.sql("ALTER TABLE outbox.message ALTER COLUMN kind DROP NOT NULL");
        UUID poison;
        try (RunningRelay relay = RunningRelay.start(outbox.settings()).awaitStreaming()) {
            poison = UUID.fromString(outbox.column("INSERT INTO outbox.message (type, schema_version, key) VALUES ('"
                            + Outbox.TYPE + "', 1, 'copy-1') RETURNING id")
                    .get(0));
            outbox.insert(2, "copy-1");
            awaitNothingPending();
            assertThat(relay.relay().state()).isInstanceOf(RelayState.Streaming.class);
        }
        assertThat(quarantined()).hasSize(2).allSatisfy(message -> {
            assertThat(message.messageId()).isEqualTo(poison);
            assertThat(message.cause()).isEqualTo("MISSING_VALUE");
            assertThat(message.lastError()).contains("no kind, no payload");
        });
        assertThat(outbox.records("due-notice"))
                .hasSize(3)
                .filteredOn(message -> message.value() == null)
                .as("the marker")
                .extracting(TopicReader::id)
                .containsExactly(poison);
        assertThatThrownBy(() -> release(poison, "statistics")).isInstanceOf(StillUnpublishableException.class);
    }

    @Test
    void aReleasedMessageKeepsIdAndBytesAndIsMarkedAndAudited() throws Exception {
        String spelling = "{ \"odd\" :  \"😀\" }";
        UUID poison;
        try (RunningRelay relay = RunningRelay.start(outbox.settings()).awaitStreaming()) {
            outbox.sql("INSERT INTO outbox.message (kind, type, schema_version, key, payload) VALUES "
                    + "('integration-event', 'library.late', 1, 'copy-9', '" + spelling + "')");
            awaitNothingPending();
            poison = outbox.ids().get(0);
            assertThatThrownBy(() -> release(poison, "*"))
                    .isInstanceOf(StillUnpublishableException.class)
                    .hasMessageContaining("library.late is not in the catalog");
            assertThat(quarantined()).hasSize(1);

            TestCatalog.add(outbox.catalog(), "library.late", "statistics");
            assertThat(release(poison, "*")).isTrue();
            assertThat(release(poison, "*")).as("a second time").isFalse();
        }
        assertThat(quarantined()).isEmpty();
        assertThat(outbox.records("statistics")).singleElement().satisfies(message -> {
            assertThat(TopicReader.id(message)).isEqualTo(poison);
            assertThat(new String(message.value(), StandardCharsets.UTF_8)).isEqualTo(spelling);
            assertThat(TopicReader.header(message, MessageHeaders.REPLAY)).isEqualTo("release");
        });
        assertThat(outbox.column("SELECT actor || '|' || action || '|' || reason || '|' || failure FROM outbox.audit"))
                .singleElement()
                .asString()
                .startsWith("ada|release|the catalog was late|UNKNOWN_TYPE: ");
        assertThat(outbox.column("SELECT state FROM outbox.record WHERE id = '" + poison + "'"))
                .containsExactly("dispatched");
    }

    @Test
    void oneIdStagedTwiceIsQuarantinedTwiceAndItsNamesakeIsNoDeadLetter() throws Exception {
        UUID id = UUID.randomUUID();
        try (RunningRelay relay = RunningRelay.start(outbox.settings()).awaitStreaming()) {
            for (String type : List.of("library.unheard-of", Outbox.TYPE, "library.unknown")) {
                outbox.sql("INSERT INTO outbox.message (id, kind, type, schema_version, payload) VALUES ('" + id
                        + "', 'integration-event', '" + type + "', 1, '{}')");
            }
            awaitNothingPending();
        }
        assertThat(quarantined())
                .extracting(QuarantinedMessage::type)
                .containsExactly("library.unheard-of", "library.unknown");
        assertThat(outbox.column("SELECT state FROM outbox.record ORDER BY created_at"))
                .containsExactly("failed", "dispatched", "failed");
        try (Connection connection = outbox.connect()) {
            assertThat(new QuarantineDesk(connection).resolve(id, "*", "discard", SOMEBODY, message -> {}))
                    .isPresent();
        }
        assertThat(quarantined()).extracting(QuarantinedMessage::type).containsExactly("library.unknown");
    }

    @Test
    void aReleaseWithoutTheRightToAuditPublishesNothing() throws Exception {
        UUID poison;
        try (RunningRelay relay = RunningRelay.start(outbox.settings()).awaitStreaming()) {
            poison = insertOfType("library.late");
            awaitNothingPending();
        }
        TestCatalog.add(outbox.catalog(), "library.late", "statistics");
        outbox.sql("ALTER TABLE outbox.audit ADD CONSTRAINT nobody CHECK (false)");

        assertThatThrownBy(() -> release(poison, "*")).hasMessageContaining("nobody");

        assertThat(outbox.records("statistics")).isEmpty();
        assertThat(quarantined()).hasSize(1);
    }

    @Test
    void aDiscardedMessageIsAuditedAndReachesNobody() throws Exception {
        UUID poison;
        try (RunningRelay relay = RunningRelay.start(outbox.settings()).awaitStreaming()) {
            poison = insertOfType("library.unheard-of");
            awaitNothingPending();
        }
        try (Connection connection = outbox.connect()) {
            assertThat(new QuarantineDesk(connection).resolve(poison, "*", "discard", SOMEBODY, message -> {}))
                    .isPresent();
        }
        assertThat(quarantined()).isEmpty();
        assertThat(outbox.column("SELECT action FROM outbox.audit WHERE message_id = '" + poison + "'"))
                .containsExactly("discard");
        assertThat(outbox.records("due-notice")).isEmpty();
    }

    @Test
    void replayWithoutActorOrReasonIsRefused() {
        assertThatThrownBy(() -> new QuarantineDesk.Responsibility(" ", "why"))
                .hasMessageContaining("audit needs both");
        assertThatThrownBy(() -> new QuarantineDesk.Responsibility("who", "")).hasMessageContaining("audit needs both");
        assertThatThrownBy(() -> outbox.sql(
                        "INSERT INTO outbox.audit (actor, action, reason, message_id, handler, failure) VALUES "
                                + "('', 'release', 'why', uuidv7(), 'x', 'y')"))
                .hasStackTraceContaining("actor_is_not_empty");
    }

    @Test
    void whatALeaderSetAsideBeforeItDiedStaysSetAsideThoughTheCatalogKnowsItByNow() throws Exception {
        UUID poison = insertOfType("library.late");
        outbox.sql("INSERT INTO outbox.quarantined (message_id, created_at, handler, cause, last_error, fence) "
                + "SELECT id, created_at, '*', 'UNKNOWN_TYPE', 'unknown', 1 FROM outbox.message");
        TestCatalog.add(outbox.catalog(), "library.late", "statistics");
        try (RunningRelay relay = RunningRelay.start(outbox.settings()).awaitStreaming()) {
            outbox.insert(1, "copy-1");
            awaitNothingPending();
        }
        assertThat(quarantined()).extracting(QuarantinedMessage::messageId).containsExactly(poison);
        assertThat(outbox.idsOn("statistics")).isEqualTo(without(poison)).hasSize(1);
    }

    private boolean release(UUID id, String handler) throws Exception {
        try (Connection connection = outbox.connect();
                KafkaPublisher publisher = KafkaPublisher.open(outbox.settings().operator())) {
            QuarantineDesk desk = new QuarantineDesk(connection);
            Router router = new Router(outbox.settings().namespace(), CatalogReader.read(outbox.catalog()));
            return desk.resolve(id, handler, "release", SOMEBODY, new Release(connection, router, publisher))
                    .isPresent();
        }
    }

    private List<QuarantinedMessage> quarantined() throws Exception {
        try (Connection connection = outbox.connect()) {
            return new QuarantineDesk(connection).list(QuarantineDesk.Filter.open(100));
        }
    }

    private List<UUID> without(UUID poison) {
        return outbox.ids().stream().filter(id -> !id.equals(poison)).toList();
    }

    private UUID insertOfType(String type) {
        return UUID.fromString(
                outbox.column("INSERT INTO outbox.message (kind, type, schema_version, key, payload) VALUES "
                                + "('integration-event', '" + type + "', 1, 'copy-1', '{}') RETURNING id")
                        .get(0));
    }

    private UUID insertWithPayload(String payload) {
        return UUID.fromString(
                outbox.column("INSERT INTO outbox.message (kind, type, schema_version, key, payload) VALUES "
                                + "('integration-event', '" + Outbox.TYPE + "', 1, 'copy-1', '" + payload
                                + "') RETURNING id")
                        .get(0));
    }

    private static String incompressible(int length) {
        StringBuilder text = new StringBuilder();
        while (text.length() < length) {
            text.append(UUID.randomUUID());
        }
        return text.toString();
    }

    private void limit(String handler, int bytes) throws Exception {
        try (Admin admin =
                Admin.create(Map.of("bootstrap.servers", stack.kafka().bootstrapServers()))) {
            admin.incrementalAlterConfigs(Map.of(
                            new ConfigResource(ConfigResource.Type.TOPIC, outbox.topic(handler)),
                            List.of(new AlterConfigOp(
                                    new ConfigEntry("max.message.bytes", Integer.toString(bytes)),
                                    AlterConfigOp.OpType.SET))))
                    .all()
                    .get();
        }
    }

    private void awaitNothingPending() {
        await().atMost(Duration.ofSeconds(30))
                .until(() -> outbox.number("SELECT messages FROM outbox.pending_summary()") == 0);
    }
}
