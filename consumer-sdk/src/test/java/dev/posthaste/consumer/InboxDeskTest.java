package dev.posthaste.consumer;

import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.UUID;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import dev.posthaste.consumer.inbox.Arrival;
import dev.posthaste.consumer.inbox.DeliveryId;
import dev.posthaste.consumer.inbox.FailedAttempt;
import dev.posthaste.consumer.inbox.Fate;
import dev.posthaste.consumer.inbox.InboxStore;
import dev.posthaste.consumer.inbox.PostgresInbox;
import dev.posthaste.consumer.inbox.StoredRecord;
import dev.posthaste.consumer.replay.DeadLetter;
import dev.posthaste.consumer.replay.DeadLetterQuery;
import dev.posthaste.consumer.replay.InboxDesk;
import dev.posthaste.consumer.replay.ReplayReport;
import dev.posthaste.consumer.replay.Selection;
import dev.posthaste.testkit.PostgresServer;
import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.ReportedCase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What an operator finds and does, in a database without a consumer. */
@PosthasteStack
class InboxDeskTest {

    private static final DeadLetterQuery ALL = DeadLetterQuery.of("due-notice");

    private InboxDatabase database;
    private InboxDesk desk;

    @BeforeEach
    void emptyInbox(PostgresServer server) {
        database = new InboxDatabase(server);
        desk = new InboxDesk(database.dataSource);
    }

    private DeliveryId dead(String handler, String tenant, String key, String code, Instant stagedAt)
            throws SQLException {
        return dead(handler, tenant, key, code, stagedAt, 2);
    }

    private DeliveryId dead(String handler, String tenant, String key, String code, Instant stagedAt, int attempt)
            throws SQLException {
        DeliveryId id = new DeliveryId(tenant, UUID.randomUUID(), stagedAt.truncatedTo(ChronoUnit.MICROS));
        InboxStore store = new PostgresInbox(handler, "member-1", "host-1", Duration.ofSeconds(10), 3);
        FailedAttempt failed = new FailedAttempt(
                new Arrival(id, attempt, false, null, "library." + handler, 3, 7),
                attempt,
                0,
                new Fate.DeadLetter(code),
                code,
                "summary of " + code,
                false,
                new StoredRecord(key.getBytes(StandardCharsets.UTF_8), new byte[] {1}, List.of()),
                null);
        boolean written = database.commit(connection -> store.fail(connection, failed));
        assertThat(written).isTrue();
        return id;
    }

    private List<UUID> found(DeadLetterQuery query) throws SQLException {
        return desk.list(query, 100).stream().map(DeadLetter::messageId).toList();
    }

    @Test
    void deadLettersAreFoundByHandlerCauseTenantKeyMessageAndTimes() throws SQLException {
        Instant now = Instant.now();
        DeliveryId old = dead("due-notice", "", "ada", "provider-away", now.minus(3, ChronoUnit.DAYS));
        DeliveryId north = dead("due-notice", "north", "bob", "provider-away", now);
        DeliveryId other = dead("due-notice", "", "bob", "no-such-member", now);
        dead("statistics", "", "ada", "provider-away", now);
        database.execute("UPDATE inbox.outgoing SET dead_at = now() - interval '1 hour' WHERE message_id = '"
                + old.messageId() + "'");

        assertThat(found(ALL)).containsExactly(old.messageId(), north.messageId(), other.messageId());
        assertThat(found(ALL.withCode("provider-away"))).containsExactly(old.messageId(), north.messageId());
        assertThat(found(ALL.withTenant(""))).containsExactly(old.messageId(), other.messageId());
        assertThat(found(ALL.withTenant("north"))).containsExactly(north.messageId());
        assertThat(found(ALL.withKey("bob"))).containsExactly(north.messageId(), other.messageId());
        assertThat(found(ALL.withMessageId(other.messageId()))).containsExactly(other.messageId());
        assertThat(found(ALL.withStaged(null, now.minus(1, ChronoUnit.DAYS)))).containsExactly(old.messageId());
        assertThat(found(ALL.withStaged(now.minus(1, ChronoUnit.DAYS), null)))
                .containsExactly(north.messageId(), other.messageId());
        assertThat(found(ALL.withFailed(null, now.minus(30, ChronoUnit.MINUTES))))
                .containsExactly(old.messageId());
        assertThat(found(ALL.withKey("bob").withTenant("north").withCode("no-such-member")))
                .isEmpty();
        DeadLetter letter = desk.list(ALL, 1).get(0);
        assertThat(letter.code() + " " + letter.attempt() + " " + letter.summary() + " " + letter.topic() + "-"
                        + letter.partition() + "@" + letter.offset())
                .isEqualTo("provider-away 2 summary of provider-away library.due-notice-3@7");
        assertThat(desk.select(ALL.withCode("provider-away")).size()).isEqualTo(2);
    }

    @Test
    void pagesFollowEachOtherAndAreBounded() throws SQLException {
        List<UUID> ids = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            ids.add(dead("due-notice", "", "k" + i, "x", Instant.now()).messageId());
        }
        List<UUID> pages = new ArrayList<>();
        long after = 0;
        for (List<DeadLetter> page = desk.list(ALL, 3); !page.isEmpty(); page = desk.list(ALL, after, 3)) {
            assertThat(page).hasSizeLessThanOrEqualTo(3);
            page.forEach(letter -> pages.add(letter.messageId()));
            after = page.get(page.size() - 1).place();
        }
        assertThat(pages).isEqualTo(ids);
        assertThatThrownBy(() -> desk.list(ALL, 1_001)).hasMessage("limit is 1001, but must be from 1 to 1000");
    }

    @Test
    void replayWithoutActorOrReasonIsRefused() throws SQLException {
        DeliveryId id = dead("due-notice", "", "k", "x", Instant.now());
        Selection selection = desk.select(ALL);
        for (List<String> missing : List.of(List.of("", "why"), List.of("ada", " "))) {
            String actor = missing.get(0);
            String reason = missing.get(1);
            assertThatThrownBy(() -> desk.replay(selection, actor, reason, 1))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("the journal needs both");
            assertThatThrownBy(() -> desk.requeue("due-notice", "", id.messageId(), actor, reason))
                    .hasMessageContaining("the journal needs both");
            assertThatThrownBy(() -> desk.discard("due-notice", "", id.messageId(), actor, reason))
                    .hasMessageContaining("the journal needs both");
        }
        assertThatThrownBy(
                        () -> database.execute("UPDATE inbox.replay SET started_at = now(), actor = 'ada', rate = 1"))
                .hasStackTraceContaining("a_replay_that_has_started_has_a_reason");
        assertThatThrownBy(() -> database.execute("INSERT INTO inbox.journal (handler, message_id, staged_at, attempt,"
                        + " outcome, host, actor) VALUES ('h', uuidv7(), now(), 1, 'replayed', 'h', 'ada')"))
                .hasStackTraceContaining("an_operator_gives_name_and_reason");
        assertThat(database.query("SELECT state FROM inbox.delivery")).containsExactly("dead-letter");
        assertThat(database.query("SELECT entry FROM inbox.journal WHERE outcome <> 'dead-letter'"))
                .isEmpty();
    }

    @Test
    void aReplayKeepsToItsRateAndNoAttemptIsCountedAgainstTheWait() throws SQLException {
        for (int i = 0; i < 6; i++) {
            dead("due-notice", "", "k" + i, "x", Instant.now());
        }
        ReplayReport report = desk.replay(desk.select(ALL), "ada", "why", 4);
        assertThat(report.requeued()).isEqualTo(6);
        assertThat(database.query("SELECT emit_at - lag(emit_at) OVER (ORDER BY place) FROM inbox.outgoing"))
                .containsExactly("null", "00:00:00.25", "00:00:00.25", "00:00:00.25", "00:00:00.25", "00:00:00.25");
        assertThat(
                        database.query(
                                "SELECT count(*) FROM inbox.delivery d JOIN inbox.outgoing o USING (message_id)"
                                        + " WHERE d.counted_from = o.emit_at AND d.next_attempt = o.emit_at AND d.forgiven = d.attempt"))
                .as("the horizon begins when it is due")
                .containsExactly("6");
    }

    @Test
    void anInterruptedReplayGoesOnUnderItsNameAndWhatWasDoneMeanwhileStaysDone() throws SQLException {
        DeliveryId completed = dead("due-notice", "", "k", "x", Instant.now());
        DeliveryId again = dead("due-notice", "", "k", "x", Instant.now());
        DeliveryId left = dead("due-notice", "", "k", "x", Instant.now());
        Selection selection = desk.select(ALL);
        desk.requeue("due-notice", "", again.messageId(), "bob", "mine");
        database.execute("UPDATE inbox.delivery SET state = 'completed', completed_at = now() WHERE message_id = '"
                + completed.messageId() + "'");
        // Its process died right after it had begun.
        database.execute("UPDATE inbox.replay SET actor = 'ada', reason = 'first', rate = 7, started_at = now()"
                + " WHERE replay_id = '" + selection.id() + "'");

        Selection found = desk.selection(selection.id()).orElseThrow();
        ReplayReport report = desk.replay(found, "cy", "second", 1);
        assertThat(report.actor() + " " + report.reason()).isEqualTo("ada first");
        assertThat(List.of(report.selected(), report.requeued(), report.alreadyDone(), report.noDeadLetter()))
                .containsExactly(3, 1, 1, 1);
        assertThat(database.query("SELECT message_id || ' ' || actor FROM inbox.journal WHERE outcome = 'replayed'"
                        + " ORDER BY entry"))
                .containsExactly(again.messageId() + " bob", left.messageId() + " ada");
    }

    @Test
    void aMarkerOfTheRelaysIsListedAndDiscardedButNotReplayed() throws SQLException {
        DeliveryId marker = dead("due-notice", "", "k", "quarantined", Instant.now(), 0);
        assertThat(found(ALL)).containsExactly(marker.messageId());
        assertThat(desk.select(ALL).size()).isZero();
        assertThat(desk.requeue("due-notice", "", marker.messageId(), "ada", "why")
                        .quarantined())
                .isEqualTo(1);
        assertThat(desk.discard("due-notice", "", marker.messageId(), "ada", "why"))
                .isTrue();
        assertThat(desk.counts("due-notice")).containsExactly(Map.entry("discarded", 1L));
    }

    @Test
    void whatIsNotThereIsRefused() throws SQLException {
        UUID unknown = UUID.randomUUID();
        assertThatThrownBy(() -> desk.requeue("due-notice", "", unknown, "ada", "why"))
                .isInstanceOf(NoSuchElementException.class)
                .hasMessageContaining(unknown.toString());
        assertThat(desk.discard("due-notice", "", unknown, "ada", "why")).isFalse();
        assertThatThrownBy(() -> desk.replay(new Selection(unknown, "due-notice", "", 1), "ada", "why", 1))
                .isInstanceOf(NoSuchElementException.class);
        assertThatThrownBy(() -> desk.replay(desk.select(ALL), "ada", "why", 0))
                .hasMessage("ratePerSecond is 0, but must be from 1 to 10000");
        assertThat(database.query("SELECT handler FROM inbox.replay WHERE started_at IS NOT NULL"))
                .isEqualTo(Collections.emptyList());
    }

    /** In full: a million. */
    @ReportedCase(36)
    @Test
    void amongManyDeadLettersAPageIsFoundByAnyFilterAndExactlyTheSelectionIsReplayed() throws SQLException {
        int many = Boolean.getBoolean("posthaste.full") ? 1_000_000 : 20_000;
        database.execute("INSERT INTO inbox.delivery (handler, message_id, staged_at, state, attempt, code, last_error,"
                + " record_topic, record_partition, record_offset) SELECT 'due-notice', gen_random_uuid(),"
                + " now() - n * interval '1 second', 'dead-letter', 3, 'code-' || n % 10, 'x', 't', 0, n"
                + " FROM generate_series(1, " + many + ") AS n");
        database.execute("INSERT INTO inbox.outgoing (handler, message_id, staged_at, route, dead_code, dead_at,"
                + " record_key, record_value, header_names, header_values) SELECT handler, message_id, staged_at,"
                + " 'dead-letter', code, now() - record_offset * interval '1 second',"
                + " convert_to('key-' || record_offset % 1000, 'UTF8'), 'x', '{}', '{}' FROM inbox.delivery"
                + " ORDER BY record_offset");
        database.execute("ANALYZE inbox.delivery, inbox.outgoing");
        Instant now = Instant.now();
        for (DeadLetterQuery query : List.of(
                ALL,
                ALL.withCode("code-3"),
                ALL.withKey("key-7"),
                ALL.withKey("key-7").withCode("code-7"),
                ALL.withStaged(null, now.minusSeconds(many - 100)),
                ALL.withFailed(now.minusSeconds(many / 2 + 100), now.minusSeconds(many / 2)),
                ALL.withCode("code-3").withFailed(now.minusSeconds(many / 2), null))) {
            long began = System.nanoTime();
            assertThat(desk.list(query, 10)).hasSize(10);
            System.out.printf("a page of %d: %d ms for %s%n", many, (System.nanoTime() - began) / 1_000_000, query);
        }
        DeadLetterQuery tenth = ALL.withCode("code-3");
        Selection selection = desk.select(tenth);
        assertThat(selection.size()).isEqualTo(many / 10);
        assertThat(desk.replay(selection, "ada", "why", 10_000).requeued()).isEqualTo(many / 10);
        assertThat(database.query("SELECT DISTINCT state || ' ' || code FROM inbox.delivery" + " ORDER BY 1"))
                .hasSize(10)
                .contains("pending code-3")
                .doesNotContain("dead-letter code-3");
        assertThat(database.query("SELECT max(emit_at) - min(emit_at) >= interval '1 second' * (" + (many / 10 - 1)
                        + " / 10000.0) FROM inbox.outgoing WHERE route = 'retry'"))
                .as("no faster than the given rate")
                .containsExactly("t");
    }
}
