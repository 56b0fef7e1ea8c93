package dev.posthaste.relay;

import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.posthaste.relay.lease.FencedException;
import dev.posthaste.relay.lease.Lease;
import dev.posthaste.relay.lease.LeasedSession;
import dev.posthaste.relay.quarantine.NotAtRestException;
import dev.posthaste.relay.quarantine.QuarantineDesk;
import dev.posthaste.relay.quarantine.QuarantinedMessage;
import dev.posthaste.relay.quarantine.Retries;
import dev.posthaste.relay.quarantine.RetrySchedule;
import dev.posthaste.relay.routing.Router;
import dev.posthaste.schemas.MessageHeaders;
import dev.posthaste.schemas.catalog.CatalogReader;
import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.Stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/** What may pass by itself is tried again by the leader, to a bound; time is the database's, and moved there. */
@PosthasteStack
class RetriesTest {

    private static final QuarantineDesk.Responsibility SOMEBODY = new QuarantineDesk.Responsibility("ada", "a test");

    private final Stack stack;
    private Outbox outbox;

    RetriesTest(Stack stack) {
        this.stack = stack;
    }

    @BeforeEach
    void initialise(@TempDir Path directory) {
        outbox = Outbox.initialised(stack, directory);
    }

    @Test
    void aTopicThatIsGoneClosesItsHandlerAloneAndWhatWentThereIsReleasedOnceItIsBack() throws Exception {
        RelaySettings settings = Adjusted.requestTimeout(outbox.settings(), Duration.ofSeconds(2));
        try (RunningRelay relay = RunningRelay.start(settings).awaitStreaming()) {
            outbox.insert(2, "copy-1");
            outbox.awaitDispatched();
            List<UUID> before = outbox.ids();
            deleteTopic("due-notice");
            outbox.insert(3, "copy-1");
            relay.awaitStandby(outbox.topic("due-notice") + "=TOPIC_MISSING");
            assertThat(outbox.number("SELECT count(*) FROM outbox.quarantined"))
                    .as("for a while everything waits")
                    .isZero();
            outbox.sql("UPDATE relay.closed_topic SET since = since - interval '30 seconds'");
            outbox.awaitDispatched();
            List<UUID> later = outbox.ids().subList(2, 5);

            assertThat(outbox.idsOn("statistics")).isEqualTo(outbox.ids());
            assertThat(quarantined()).hasSize(3).allSatisfy(message -> {
                assertThat(message.handler()).isEqualTo("due-notice");
                assertThat(message.cause()).isEqualTo("TOPIC_MISSING");
                assertThat(message.lastError()).contains(outbox.topic("due-notice"), "posthaste init");
                assertThat(message.nextAttempt()).isNotNull();
            });
            assertThat(outbox.column("SELECT state FROM outbox.record ORDER BY created_at"))
                    .containsExactly("dispatched", "dispatched", "failed", "failed", "failed");

            outbox.initialise();
            await().atMost(Duration.ofSeconds(60)).until(() -> {
                makeAllDue();
                return quarantined().isEmpty();
            });
            assertThat(relay.relay().state()).isInstanceOf(RelayState.Streaming.class);
            assertThat(outbox.number("SELECT count(*) FROM relay.closed_topic")).isZero();
            List<ConsumerRecord<String, byte[]>> released = outbox.records("due-notice");
            assertThat(released).extracting(TopicReader::id).containsExactlyInAnyOrderElementsOf(later);
            assertThat(released).allSatisfy(message -> assertThat(TopicReader.header(message, MessageHeaders.REPLAY))
                    .isEqualTo("release"));
            assertThat(relay.counter("posthaste.message.retries")).isGreaterThanOrEqualTo(3);
            assertThat(outbox.idsOn("statistics")).hasSize(before.size() + later.size());
        }
        assertThat(outbox.column("SELECT DISTINCT actor || ' ' || action FROM outbox.audit"))
                .containsExactly("posthaste-relay release");
        assertThat(outbox.number("SELECT count(*) FROM outbox.audit WHERE failure LIKE 'TOPIC_MISSING: %'"))
                .isEqualTo(3);
    }

    @Test
    void aTopicThatIsGoneForAMomentIsWaitedForAndTheOrderIsKept() throws Exception {
        deleteTopic("due-notice");
        outbox.insert(3, "copy-1");
        try (RunningRelay relay = RunningRelay.start(outbox.settings())) {
            relay.awaitStandby(outbox.topic("due-notice") + "=TOPIC_MISSING");
            outbox.initialise();
            relay.awaitStreaming();
            outbox.awaitDispatched();
        }
        assertThat(outbox.idsOn("due-notice")).isEqualTo(outbox.ids());
        assertThat(outbox.number("SELECT count(*) FROM outbox.quarantined")).isZero();
        outbox.assertEachMessageIsPublishedOnceAndProvedOnce();
    }

    @Test
    void beforeItsNextAttemptNothingIsTriedThoughTheCauseHasPassed() throws Exception {
        try (RunningRelay relay = RunningRelay.start(outbox.settings()).awaitStreaming()) {
            insertOfType("library.late");
            insertOfType("library.late");
            outbox.awaitDispatched();
        }
        List<QuarantinedMessage> both = quarantined();
        TestCatalog.add(outbox.catalog(), "library.late", "statistics");
        outbox.sql("UPDATE outbox.quarantined SET next_attempt = now() + interval '1 hour' WHERE message_id = '"
                + both.get(0).messageId() + "'");
        outbox.sql("UPDATE outbox.quarantined SET next_attempt = now() WHERE message_id = '"
                + both.get(1).messageId() + "'");
        try (RunningRelay relay = RunningRelay.start(outbox.settings()).awaitStreaming()) {
            await().atMost(Duration.ofSeconds(30)).until(() -> quarantined().size() == 1);
            assertThat(outbox.idsOn("statistics")).containsExactly(both.get(1).messageId());
        }
        assertThat(quarantined()).singleElement().satisfies(message -> {
            assertThat(message.messageId()).isEqualTo(both.get(0).messageId());
            assertThat(message.attempt()).isEqualTo(1);
        });
    }

    @Test
    void attemptsAreExhaustedAndADeadLetterIsLeftToAnOperator() throws Exception {
        try (RunningRelay relay = RunningRelay.start(outbox.settings()).awaitStreaming()) {
            insertOfType("library.unheard-of");
            outbox.awaitDispatched();
            for (int attempt = 2; attempt < RetrySchedule.DEFAULT.attempts(); attempt++) {
                makeAllDue();
                awaitAttempt(attempt);
                assertThat(quarantined().get(0).nextAttempt()).isNotNull();
                assertThat(state()).containsExactly("failed");
            }
            makeAllDue();
            awaitAttempt(RetrySchedule.DEFAULT.attempts());

            assertThat(quarantined().get(0).nextAttempt()).isNull();
            assertThat(state()).containsExactly("dead-letter");
            assertThat(relay.counter("posthaste.message.retries")).isEqualTo(RetrySchedule.DEFAULT.attempts() - 1);
        }
        assertThat(outbox.number("SELECT count(*) FROM outbox.audit")).isZero();
    }

    @Test
    void whatWillNotPassIsADeadLetterAtOnce() throws Exception {
        try (RunningRelay relay = RunningRelay.start(outbox.settings()).awaitStreaming()) {
            outbox.sql("INSERT INTO outbox.message (kind, type, schema_version, payload) VALUES "
                    + "('journey-step-command', '" + Outbox.TYPE + "', 1, '{}')");
            outbox.awaitDispatched();
        }
        assertThat(quarantined()).hasSize(2).allSatisfy(message -> assertThat(message.nextAttempt())
                .isNull());
        assertThat(state()).containsExactly("dead-letter");
    }

    @Test
    void whatARelayHasInHandNobodyElseResolves() throws Exception {
        insertOfType("library.late");
        outbox.sql("INSERT INTO outbox.quarantined (message_id, created_at, handler, cause, last_error, fence) "
                + "SELECT id, created_at, '*', 'UNKNOWN_TYPE', 'unknown', 1 FROM outbox.message");
        UUID id = outbox.ids().get(0);
        assertThatThrownBy(() -> discard(id))
                .isInstanceOf(NotAtRestException.class)
                .hasMessageContaining("not settled yet");
        try (RunningRelay relay = RunningRelay.start(outbox.settings()).awaitStreaming()) {
            outbox.awaitDispatched();
        }
        outbox.sql("UPDATE outbox.quarantined SET trying_until = now() + interval '1 minute'");
        assertThatThrownBy(() -> discard(id))
                .isInstanceOf(NotAtRestException.class)
                .hasMessageContaining("tries it at this moment");
        assertThat(quarantined()).hasSize(1);
        assertThat(outbox.number("SELECT count(*) FROM outbox.audit")).isZero();

        outbox.sql("UPDATE outbox.quarantined SET trying_until = now() - interval '1 second'");
        discard(id);
        assertThat(quarantined()).isEmpty();
    }

    @Test
    void aRelayThatLostItsLeaseClaimsAndPublishesNothing() throws Exception {
        try (RunningRelay relay = RunningRelay.start(outbox.settings()).awaitStreaming()) {
            insertOfType("library.late");
            outbox.awaitDispatched();
        }
        makeAllDue();
        String owner = outbox.column("SELECT owner FROM relay.lease").get(0);
        long fence = outbox.number("SELECT fence FROM relay.lease");
        List<String> published = new ArrayList<>();
        try (LeasedSession session = LeasedSession.open(
                outbox.connect(), new Lease(outbox.settings().slot(), owner, fence - 1), Duration.ofSeconds(3))) {
            Retries retries = new Retries(
                    session,
                    new Router(outbox.settings().namespace(), CatalogReader.read(outbox.catalog())),
                    messages -> published.add("something"),
                    1_000_000,
                    new Retries.Outcomes() {
                        @Override
                        public void released(QuarantinedMessage message) {
                            published.add("released");
                        }

                        @Override
                        public void failed(QuarantinedMessage message, String error, boolean last) {
                            published.add("failed");
                        }
                    });
            assertThatThrownBy(retries::runWhatIsDue).isInstanceOf(FencedException.class);
        }
        assertThat(published).isEmpty();
        assertThat(quarantined()).singleElement().satisfies(message -> assertThat(message.attempt())
                .isEqualTo(1));
    }

    @Test
    void nobodyAuditsUnderTheRelaysNameAndTheRelayUnderNoOther() {
        String insert = "INSERT INTO outbox.audit (actor, action, reason, message_id, handler, failure) VALUES "
                + "('%s', '%s', 'why', uuidv7(), 'x', 'y')";
        assertRefused("posthaste_operator", insert.formatted("posthaste-relay", "release"));
        assertRefused("posthaste_relay", insert.formatted("ada", "release"));
        assertRefused("posthaste_relay", insert.formatted("posthaste-relay", "discard"));
        as("posthaste_operator", insert.formatted("ada", "discard"));
        as("posthaste_relay", insert.formatted("posthaste-relay", "release"));
        assertThat(outbox.number("SELECT count(*) FROM outbox.audit")).isEqualTo(2);
    }

    private void assertRefused(String role, String sql) {
        assertThatThrownBy(() -> as(role, sql)).hasStackTraceContaining("row-level security");
    }

    private void as(String role, String sql) {
        outbox.sql("SET ROLE " + role + "; " + sql);
    }

    private void discard(UUID id) throws Exception {
        try (Connection connection = outbox.connect()) {
            assertThat(new QuarantineDesk(connection).resolve(id, "*", "discard", SOMEBODY, message -> {}))
                    .isPresent();
        }
    }

    private void awaitAttempt(int attempt) {
        await().atMost(Duration.ofSeconds(30))
                .until(() -> outbox.number("SELECT max(attempt) FROM outbox.quarantined WHERE trying_until IS NULL")
                        == attempt);
    }

    private void makeAllDue() {
        outbox.sql(
                "UPDATE outbox.quarantined SET next_attempt = now() WHERE next_attempt IS NOT NULL AND trying_until IS NULL");
    }

    private List<String> state() {
        return outbox.column("SELECT state FROM outbox.record");
    }

    private List<QuarantinedMessage> quarantined() throws Exception {
        try (Connection connection = outbox.connect()) {
            return new QuarantineDesk(connection).list(QuarantineDesk.Filter.open(100));
        }
    }

    private void insertOfType(String type) {
        outbox.sql("INSERT INTO outbox.message (kind, type, schema_version, key, payload) VALUES "
                + "('integration-event', '" + type + "', 1, 'copy-1', '{}')");
    }

    private void deleteTopic(String handler) throws Exception {
        try (Admin admin =
                Admin.create(Map.of("bootstrap.servers", stack.kafka().bootstrapServers()))) {
            admin.deleteTopics(List.of(outbox.topic(handler))).all().get();
        }
    }
}
