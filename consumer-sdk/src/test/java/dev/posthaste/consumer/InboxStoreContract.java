package dev.posthaste.consumer;

import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import dev.posthaste.consumer.inbox.Arrival;
import dev.posthaste.consumer.inbox.DeadAttempt;
import dev.posthaste.consumer.inbox.DeliveryId;
import dev.posthaste.consumer.inbox.DueRecord;
import dev.posthaste.consumer.inbox.FailedAttempt;
import dev.posthaste.consumer.inbox.Fate;
import dev.posthaste.consumer.inbox.InboxCleanup;
import dev.posthaste.consumer.inbox.InboxStore;
import dev.posthaste.consumer.inbox.Intervention;
import dev.posthaste.consumer.inbox.LeasedDelivery;
import dev.posthaste.consumer.inbox.Requeued;
import dev.posthaste.consumer.inbox.StoredRecord;
import dev.posthaste.consumer.inbox.Verdict;
import dev.posthaste.consumer.internal.InboxKeeper;
import dev.posthaste.consumer.internal.Ownership;
import dev.posthaste.consumer.replay.InboxDesk;
import dev.posthaste.testkit.PostgresServer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What every {@link InboxStore} keeps to, each in a test named for it; the tables are part of it, for operators and
 * tools read them. A real database, no Kafka.
 */
abstract class InboxStoreContract {

    private static final Duration RETENTION = Duration.ofDays(30);
    private static final Intervention BY_ADA =
            new Intervention(UUID.fromString("00000000-0000-4000-8000-000000000001"), "ada", "the cause is mended");

    private InboxDatabase database;
    private InboxStore store;
    private long nextOffset;

    /** One for the handler {@code due-notice}, as that process. */
    abstract InboxStore store(String owner);

    @BeforeEach
    void emptyInbox(PostgresServer server) {
        database = new InboxDatabase(server);
        store = store("member-1");
    }

    private Arrival arrival(DeliveryId id, int attempt) {
        return new Arrival(id, attempt, false, null, "library.due-notice", 0, nextOffset++);
    }

    private static DeliveryId stagedDaysAgo(int days) {
        return new DeliveryId(
                "",
                UUID.randomUUID(),
                Instant.now().truncatedTo(ChronoUnit.MICROS).minus(days, ChronoUnit.DAYS));
    }

    private Verdict claim(InboxStore by, DeliveryId id, int attempt) throws SQLException {
        Arrival arrival = arrival(id, attempt);
        return database.commit(
                connection -> by.claim(connection, List.of(arrival)).verdicts().get(0));
    }

    private Verdict begin(InboxStore by, DeliveryId id, int attempt) throws SQLException {
        Arrival arrival = arrival(id, attempt);
        return database.commit(connection -> by.begin(connection, arrival));
    }

    private boolean fail(DeliveryId id, int attempt, Fate fate) throws SQLException {
        FailedAttempt failed = new FailedAttempt(
                arrival(id, attempt),
                attempt,
                0,
                fate,
                "provider-away",
                "java.io.IOException: away",
                false,
                new StoredRecord("k".getBytes(StandardCharsets.UTF_8), new byte[] {1, 2}, List.of()),
                null);
        return database.commit(connection -> store.fail(connection, failed));
    }

    private List<DueRecord> due(InboxStore.Route route) throws SQLException {
        return database.commit(connection -> store.takeDue(connection, route, 10, Duration.ofSeconds(30)));
    }

    private Requeued requeue(DeliveryId id, int attempt) throws SQLException {
        return database.commit(connection -> store.requeue(
                        connection, List.of(new DeadAttempt(id, attempt)), BY_ADA, Instant.now(), Duration.ZERO)
                .get(0));
    }

    private boolean discard(DeliveryId id) throws SQLException {
        return database.commit(connection -> store.discard(connection, new DeadAttempt(id, 1), BY_ADA));
    }

    private @Nullable String row(DeliveryId id, String columns) throws SQLException {
        List<String> rows = database.query("SELECT concat_ws(' ', " + columns
                + ") FROM inbox.delivery WHERE message_id = '" + id.messageId() + "'");
        return rows.isEmpty() ? null : rows.get(0);
    }

    /** As if it had come in, and been completed, that much earlier. */
    private void age(DeliveryId id, Duration by) throws SQLException {
        for (String column : List.of("first_seen_at", "completed_at")) {
            database.execute("UPDATE inbox.delivery SET " + column + " = " + column + " - interval '" + by.toSeconds()
                    + " seconds' WHERE message_id = '" + id.messageId() + "'");
        }
        database.execute("UPDATE inbox.journal SET at = at - interval '" + by.toSeconds()
                + " seconds' WHERE message_id = '" + id.messageId() + "'");
    }

    private String partitionFor(Instant day) throws SQLException {
        String name = "delivery_"
                + DateTimeFormatter.ofPattern("yyyyMMdd")
                        .withZone(ZoneOffset.UTC)
                        .format(day);
        Instant from = day.truncatedTo(ChronoUnit.DAYS);
        database.execute("CREATE TABLE inbox." + name + " PARTITION OF inbox.delivery FOR VALUES FROM ('" + from
                + "') TO ('" + from.plus(1, ChronoUnit.DAYS) + "')");
        return name;
    }

    private void cleanUp() throws SQLException {
        database.commit(connection -> {
            InboxCleanup.state(connection, "due-notice", RETENTION);
            return true;
        });
        while (database.commit(InboxCleanup::dropPartition).isPresent()) {}
        for (InboxCleanup.Rows rows : InboxCleanup.Rows.values()) {
            database.commit(connection -> InboxCleanup.delete(connection, rows, 1_000));
        }
    }

    private List<String> partitions() throws SQLException {
        return database.query("SELECT relname FROM pg_class WHERE relkind = 'r' AND relname ~ '^delivery_[0-9]+$'");
    }

    @Test
    void whatIsClaimedIsCompletedOnce() throws SQLException {
        DeliveryId id = stagedDaysAgo(0);
        assertThat(begin(store, id, 1)).isInstanceOf(Verdict.Run.class);
        assertThat(row(id, "state, attempt, lease_owner")).isEqualTo("processing 1 member-1");
        assertThat(claim(store, id, 1)).isInstanceOf(Verdict.Run.class);
        assertThat(row(id, "state, completed_at IS NOT NULL, lease_owner IS NULL"))
                .isEqualTo("completed t t");
        assertThat(claim(store, id, 1)).isEqualTo(new Verdict.Skip(true));
        assertThat(claim(store("member-2"), id, 1)).isEqualTo(new Verdict.Skip(true));
    }

    /** PostgreSQL rounds half a microsecond to the even one, its driver rounds it up. */
    @Test
    void oneMessageIsOneDeliveryHoweverFineItsStagedTime() throws SQLException {
        for (int nanos : List.of(499, 500, 501, 999, 1_499, 1_500, 1_501)) {
            Instant staged = Instant.now().truncatedTo(ChronoUnit.SECONDS).plusNanos(nanos);
            DeliveryId claimed = new DeliveryId("", UUID.randomUUID(), staged);
            assertThat(begin(store, claimed, 1)).isInstanceOf(Verdict.Run.class);
            assertThat(fail(claimed, 1, new Fate.Retry(Duration.ZERO))).isTrue();
            assertThat(row(claimed, "state, attempt")).as("%s ns", nanos).isEqualTo("failed 1");
            assertThat(begin(store, claimed, 2)).isInstanceOf(Verdict.Run.class);
            assertThat(row(claimed, "state, attempt")).isEqualTo("processing 2");

            DeliveryId leased = new DeliveryId("", UUID.randomUUID(), staged);
            Arrival arrival = arrival(leased, 1);
            Verdict verdict = database.commit(connection -> store.lease(connection, arrival, Duration.ofMinutes(1)));
            assertThat(verdict).isInstanceOf(Verdict.Leased.class);
            LeasedDelivery held = new LeasedDelivery(leased, ((Verdict.Leased) verdict).lease());
            assertThat(database.<Boolean>commit(connection -> store.complete(connection, held, 1)))
                    .isTrue();
            assertThat(row(leased, "state")).isEqualTo("completed");
        }
    }

    @Test
    void aRetryThatNoRowTellsOfRunsAsTheLastAttemptAtMost() throws SQLException {
        assertThat(claim(store, stagedDaysAgo(0), 2))
                .isInstanceOfSatisfying(
                        Verdict.Run.class, run -> assertThat(run.attempt()).isEqualTo(2));
        assertThat(claim(store, stagedDaysAgo(0), 99))
                .as("its number is no message's")
                .isInstanceOfSatisfying(
                        Verdict.Run.class, run -> assertThat(run.attempt()).isEqualTo(3));
    }

    @Test
    void aRetryIsNotVisibleBeforeItsTime() throws SQLException {
        DeliveryId later = stagedDaysAgo(0);
        DeliveryId now = stagedDaysAgo(0);
        fail(later, 1, new Fate.Retry(Duration.ofHours(1)));
        fail(now, 1, new Fate.Retry(Duration.ofMillis(1)));
        await().untilAsserted(() -> assertThat(due(InboxStore.Route.RETRY))
                .extracting(DueRecord::id)
                .containsExactly(now));
        assertThat(claim(store, later, 1)).as("the record that came first").isEqualTo(new Verdict.Skip(false));
        assertThat(claim(store, now, 2)).as("its retry").isInstanceOf(Verdict.Run.class);
    }

    @Test
    void aFailureIsWrittenDownWithTheTimeOfTheNextAttempt() throws SQLException {
        DeliveryId id = stagedDaysAgo(0);
        begin(store, id, 1);
        assertThat(fail(id, 1, new Fate.Retry(Duration.ofMinutes(10)))).isTrue();
        assertThat(row(id, "state, attempt, code, last_error, lease_owner IS NULL"))
                .isEqualTo("failed 1 provider-away java.io.IOException: away t");
        assertThat(row(id, "next_attempt - now() BETWEEN interval '9 minutes' AND interval '10 minutes'"))
                .isEqualTo("t");
        assertThat(database.query("SELECT outcome || attempt || code FROM inbox.journal"))
                .containsExactly("failed1provider-away");
    }

    @Test
    void aDeadLetterStaysAndIsEmittedAndIsNotRunAgain() throws SQLException {
        DeliveryId id = stagedDaysAgo(0);
        fail(id, 1, new Fate.DeadLetter("provider-away"));
        assertThat(row(id, "state, attempt, code")).isEqualTo("dead-letter 1 provider-away");
        assertThat(due(InboxStore.Route.RETRY)).isEmpty();
        List<DueRecord> letters = due(InboxStore.Route.DEAD_LETTER);
        assertThat(letters).extracting(DueRecord::id).containsExactly(id);
        database.commit(connection -> {
            store.emitted(connection, letters);
            return true;
        });
        assertThat(claim(store, id, 1)).isEqualTo(new Verdict.Skip(false));
        assertThat(claim(store, id, 2)).isEqualTo(new Verdict.Skip(false));
        assertThat(fail(id, 1, new Fate.DeadLetter("again"))).isFalse();
    }

    @Test
    void aDeadLetterIsRequeuedToPendingAndRunsWithItsAttemptsForgiven() throws SQLException {
        DeliveryId id = stagedDaysAgo(0);
        fail(id, 3, new Fate.DeadLetter("provider-away"));
        age(id, Duration.ofDays(1));
        assertThat(requeue(id, 2)).as("it is not as it was seen").isEqualTo(Requeued.NO_DEAD_LETTER);
        assertThat(requeue(id, 3)).isEqualTo(Requeued.REQUEUED);
        assertThat(requeue(id, 3)).as("a second time").isEqualTo(Requeued.NO_DEAD_LETTER);
        assertThat(row(id, "state, attempt, forgiven, counted_from > now() - interval '1 minute'"))
                .isEqualTo("pending 3 3 t");
        DueRecord retry = due(InboxStore.Route.RETRY).get(0);
        assertThat(retry.id()).isEqualTo(id);
        assertThat(retry.replayId()).isEqualTo(BY_ADA.replayId());
        assertThat(retry.record().value()).containsExactly(1, 2);
        assertThat(database.query("SELECT concat_ws('|', outcome, attempt, code, actor, reason, replay_id)"
                        + " FROM inbox.journal WHERE outcome = 'replayed'"))
                .containsExactly("replayed|3|provider-away|ada|the cause is mended|" + BY_ADA.replayId());

        assertThat(claim(store, id, 3)).as("what was emitted before").isEqualTo(new Verdict.Skip(false));
        assertThat(claim(store, id, 4)).satisfies(verdict -> {
            Verdict.Run run = (Verdict.Run) verdict;
            assertThat(run.attempt()).isEqualTo(4);
            assertThat(run.forgiven()).isEqualTo(3);
        });
        assertThat(requeue(id, 4)).isEqualTo(Requeued.ALREADY_DONE);
        assertThat(database.query("SELECT message_id FROM inbox.outgoing")).isEmpty();
    }

    @Test
    void aDiscardedDeadLetterNeverRunsAndIsNoDeadLetterAnyMore() throws SQLException {
        DeliveryId id = stagedDaysAgo(0);
        fail(id, 1, new Fate.DeadLetter("provider-away"));
        assertThat(discard(id)).isTrue();
        assertThat(discard(id)).as("a second time").isFalse();
        assertThat(row(id, "state, attempt, code")).isEqualTo("discarded 1 provider-away");
        assertThat(claim(store, id, 1)).isEqualTo(new Verdict.Skip(false));
        assertThat(claim(store, id, 2)).isEqualTo(new Verdict.Skip(false));
        assertThat(requeue(id, 1)).isEqualTo(Requeued.NO_DEAD_LETTER);
        assertThat(database.query("SELECT message_id FROM inbox.outgoing")).isEmpty();
        assertThat(database.query("SELECT outcome || ' ' || actor FROM inbox.journal WHERE actor IS NOT NULL"))
                .containsExactly("discarded ada");
    }

    @Test
    void aLiveLeaseIsLeftAloneAndAnExpiredOneReclaimed() throws SQLException {
        DeliveryId id = stagedDaysAgo(0);
        begin(store, id, 1);
        database.execute("UPDATE inbox.delivery SET fence = 1, lease_expires_at = now() + interval '1 hour'");
        InboxStore other = store("member-2");
        assertThat(begin(other, id, 1)).isInstanceOf(Verdict.Busy.class);
        database.execute("UPDATE inbox.delivery SET lease_expires_at = now() - interval '1 second'");
        assertThat(begin(other, id, 1)).satisfies(verdict -> assertThat(
                        ((Verdict.Unfinished) verdict).begun().attempt())
                .isEqualTo(1));
        assertThat(fail(id, 1, new Fate.Retry(Duration.ofMillis(1))))
                .as("the attempt that never ended has failed")
                .isTrue();
        assertThat(claim(other, id, 2)).isInstanceOf(Verdict.Run.class);
        assertThat(row(id, "state, attempt")).isEqualTo("completed 2");
    }

    @Test
    void deliveriesAreCountedByState() throws SQLException {
        claim(store, stagedDaysAgo(0), 1);
        begin(store, stagedDaysAgo(0), 1);
        fail(stagedDaysAgo(0), 1, new Fate.Retry(Duration.ofHours(1)));
        fail(stagedDaysAgo(0), 1, new Fate.Retry(Duration.ofHours(1)));
        DeliveryId replayed = stagedDaysAgo(0);
        fail(replayed, 1, new Fate.DeadLetter("x"));
        requeue(replayed, 1);
        fail(stagedDaysAgo(0), 1, new Fate.DeadLetter("x"));
        assertThat(database.commit(store::countsByState))
                .isEqualTo(Map.of("processing", 1L, "failed", 2L, "pending", 1L, "dead-letter", 1L));
        assertThat(new InboxDesk(database.dataSource).counts("due-notice"))
                .as("an operator counts the completed ones as well")
                .isEqualTo(Map.of("processing", 1L, "failed", 2L, "pending", 1L, "dead-letter", 1L, "completed", 1L));
    }

    @Test
    void whatWasCompletedBeforeTheCutoffIsRemoved() throws SQLException {
        DeliveryId inPartition = stagedDaysAgo(40);
        DeliveryId inDefault = stagedDaysAgo(50);
        DeliveryId young = stagedDaysAgo(0);
        String partition = partitionFor(inPartition.stagedAt());
        for (DeliveryId id : List.of(inPartition, inDefault)) {
            claim(store, id, 1);
            age(id, Duration.ofDays(31));
        }
        claim(store, young, 1);
        database.execute("INSERT INTO inbox.business_key (handler, key, payload_hash, message_id, staged_at, used_at)"
                + " VALUES ('due-notice', 'old', '', uuidv7(), now(), now() - interval '31 days'),"
                + " ('due-notice', 'young', '', uuidv7(), now(), now())");
        assertThat(partitions()).contains(partition);
        cleanUp();
        assertThat(partitions()).hasSize(8).doesNotContain(partition);
        assertThat(row(inDefault, "state")).isNull();
        assertThat(row(young, "state")).isEqualTo("completed");
        assertThat(database.query("SELECT key FROM inbox.business_key")).containsExactly("young");
    }

    @Test
    void aRecentCompletionKeepsAnOldRow() throws SQLException {
        DeliveryId inPartition = stagedDaysAgo(40);
        DeliveryId inDefault = stagedDaysAgo(50);
        DeliveryId neighbour = new DeliveryId("", UUID.randomUUID(), inPartition.stagedAt());
        String partition = partitionFor(inPartition.stagedAt());
        for (DeliveryId id : List.of(inPartition, inDefault, neighbour)) {
            claim(store, id, 1);
            age(id, Duration.ofDays(31));
        }
        database.execute("UPDATE inbox.delivery SET completed_at = now() WHERE message_id IN ('"
                + inPartition.messageId() + "', '" + inDefault.messageId() + "')");
        cleanUp();
        assertThat(partitions()).contains(partition);
        assertThat(row(inPartition, "state")).isEqualTo("completed");
        assertThat(row(inDefault, "state")).isEqualTo("completed");
        assertThat(row(neighbour, "state")).as("a partition goes whole").isEqualTo("completed");
    }

    @Test
    void deadLetterOutlivesRetention() throws SQLException {
        DeliveryId dead = stagedDaysAgo(400);
        DeliveryId waiting = stagedDaysAgo(401);
        DeliveryId given = stagedDaysAgo(402);
        for (DeliveryId id : List.of(dead, waiting, given)) {
            partitionFor(id.stagedAt());
        }
        fail(dead, 1, new Fate.DeadLetter("x"));
        fail(waiting, 1, new Fate.Retry(Duration.ofMinutes(1)));
        fail(given, 1, new Fate.DeadLetter("x"));
        discard(given);
        for (DeliveryId id : List.of(dead, waiting, given)) {
            age(id, Duration.ofDays(399));
            database.execute(
                    "INSERT INTO inbox.business_key (handler, key, payload_hash, message_id, staged_at, used_at)"
                            + " SELECT handler, message_id::text, '', message_id, staged_at, first_seen_at FROM inbox.delivery"
                            + " WHERE message_id = '" + id.messageId() + "'");
        }
        cleanUp();
        assertThat(row(dead, "state")).isEqualTo("dead-letter");
        assertThat(row(waiting, "state")).isEqualTo("failed");
        assertThat(row(given, "state")).as("its life is over").isNull();
        assertThat(partitions()).hasSize(10);
        List<String> open =
                List.of(dead.messageId().toString(), waiting.messageId().toString());
        assertThat(database.query("SELECT message_id FROM inbox.outgoing")).containsExactlyInAnyOrderElementsOf(open);
        assertThat(database.query("SELECT DISTINCT message_id FROM inbox.journal"))
                .containsExactlyInAnyOrderElementsOf(open);
        assertThat(database.query("SELECT key FROM inbox.business_key")).containsExactlyInAnyOrderElementsOf(open);
        assertThat(requeue(dead, 1)).as("it can still be replayed").isEqualTo(Requeued.REQUEUED);
    }

    @Test
    void rowsOfAHandlerWhoseRetentionNobodyHasStatedStay() throws SQLException {
        DeliveryId id = stagedDaysAgo(40);
        String partition = partitionFor(id.stagedAt());
        claim(store, id, 1);
        age(id, Duration.ofDays(31));
        database.execute("UPDATE inbox.delivery SET handler = 'statistics'");
        cleanUp();
        assertThat(partitions()).contains(partition);
        database.execute("INSERT INTO inbox.retention (handler, kept) VALUES ('statistics', '40 days')");
        cleanUp();
        assertThat(partitions()).contains(partition);
        database.execute("UPDATE inbox.retention SET kept = '30 days'");
        cleanUp();
        assertThat(partitions()).doesNotContain(partition);
    }

    @Test
    void theCleanUpLoopRemovesAgainAndAgainAndCountsItsErrors() throws SQLException {
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        InboxKeeper keeper = new InboxKeeper(
                database.dataSource,
                List.of(new Ownership("due-notice", "library", Clock.systemUTC(), System::nanoTime)),
                RETENTION,
                Duration.ofMillis(100),
                meters);
        keeper.start();
        try {
            for (int i = 0; i < 2; i++) {
                DeliveryId id = stagedDaysAgo(50);
                claim(store, id, 1);
                age(id, Duration.ofDays(31));
                await().untilAsserted(() -> assertThat(row(id, "state")).isNull());
            }
            assertThat(meters.counter("posthaste.inbox.cleanup.errors").count()).isZero();
            database.execute("ALTER TABLE inbox.retention RENAME TO elsewhere");
            await().untilAsserted(() -> assertThat(
                            meters.counter("posthaste.inbox.cleanup.errors").count())
                    .isPositive());
        } finally {
            keeper.stop();
        }
    }

    @Test
    void exhaustedAttemptsEndAsADeadLetter() throws SQLException {
        DeliveryId id = stagedDaysAgo(0);
        for (int attempt = 1; attempt < 3; attempt++) {
            assertThat(begin(store, id, attempt)).isInstanceOf(Verdict.Run.class);
            assertThat(fail(id, attempt, new Fate.Retry(Duration.ofMillis(1)))).isTrue();
        }
        assertThat(begin(store, id, 3)).isInstanceOf(Verdict.Run.class);
        assertThat(fail(id, 3, new Fate.DeadLetter("provider-away"))).isTrue();
        assertThat(row(id, "state, attempt")).isEqualTo("dead-letter 3");
        assertThat(begin(store, id, 4)).isEqualTo(new Verdict.Skip(false));
        assertThat(database.query("SELECT attempt || outcome FROM inbox.journal ORDER BY entry"))
                .containsExactly("1failed", "2failed", "3dead-letter");
    }
}
