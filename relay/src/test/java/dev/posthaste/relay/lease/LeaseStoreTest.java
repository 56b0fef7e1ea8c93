package dev.posthaste.relay.lease;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import dev.posthaste.relay.evidence.DispatchedBatch;
import dev.posthaste.relay.evidence.EvidenceStore;
import dev.posthaste.relay.setup.TableSetup;
import dev.posthaste.relay.source.DatabaseSettings;
import dev.posthaste.relay.source.Lsn;
import dev.posthaste.testkit.PostgresServer;
import dev.posthaste.testkit.PosthasteStack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/** The lease and its guard of the evidence, each candidate with a session of its own on a real server. */
@PosthasteStack
class LeaseStoreTest {

    private static final Duration LONG = Duration.ofMinutes(10);
    private static final Duration SHORT = Duration.ofMillis(600);
    private static final Duration WAIT = Duration.ofSeconds(20);

    private static DatabaseSettings database;

    private final List<Connection> sessions = new ArrayList<>();
    private String slot;

    @BeforeAll
    static void tables(PostgresServer postgres) throws Exception {
        database = new DatabaseSettings(
                postgres.host(),
                postgres.port(),
                postgres.createDatabase("lease"),
                postgres.superuser(),
                postgres.password(),
                "prefer");
        new TableSetup(database).migrateOutbox();
    }

    @BeforeEach
    void slotOfItsOwn() {
        slot = "slot_" + UUID.randomUUID().toString().substring(0, 8);
    }

    @AfterEach
    void endSessions() throws SQLException {
        for (Connection session : sessions) {
            session.close();
        }
    }

    private LeaseStore candidate(String owner, Duration lease) throws SQLException {
        return new LeaseStore(session(), slot, owner, lease);
    }

    private Connection session() throws SQLException {
        Connection session = database.connect("posthaste-test");
        sessions.add(session);
        return session;
    }

    private EvidenceStore evidence(Lease lease) throws SQLException {
        return new EvidenceStore(LeasedSession.open(session(), lease, LONG));
    }

    private Connection lastSession() {
        return sessions.get(sessions.size() - 1);
    }

    private String one(String sql) throws SQLException {
        try (Connection connection = database.connect("posthaste-test");
                Statement statement = connection.createStatement();
                var row = statement.executeQuery(sql)) {
            return row.next() ? row.getString(1) : null;
        }
    }

    private Lease awaitTaken(LeaseStore candidate) {
        return await().atMost(WAIT)
                .until(candidate::tryAcquire, Optional::isPresent)
                .orElseThrow();
    }

    @Test
    void ofTwoCandidatesOneLeads() throws SQLException {
        LeaseStore first = candidate("first", LONG);
        LeaseStore second = candidate("second", LONG);

        Lease lease = first.tryAcquire().orElseThrow();

        assertThat(second.tryAcquire()).isEmpty();
        assertThat(first.renew(lease)).isTrue();
        assertThat(second.renew(new Lease(slot, "second", lease.fence()))).isFalse();
        assertThat(one("SELECT owner FROM relay.lease WHERE slot = '" + slot + "'"))
                .isEqualTo("first");
    }

    @Test
    void aReleasedLeaseIsFreeAtOnceAndTheNextFenceIsHigher() throws SQLException {
        LeaseStore first = candidate("first", LONG);
        Lease lease = first.tryAcquire().orElseThrow();
        first.release(lease);

        Lease next = candidate("second", LONG).tryAcquire().orElseThrow();

        assertThat(next.fence()).isGreaterThan(lease.fence());
        assertThat(first.renew(lease)).isFalse();
    }

    @Test
    void aCrashedHolderIsReplacedAtOnceAlthoughItsLeaseHasNotExpired() throws SQLException {
        LeaseStore first = candidate("first", LONG);
        assertThat(first.tryAcquire()).isPresent();
        LeaseStore second = candidate("second", LONG);
        assertThat(second.tryAcquire()).isEmpty();

        sessions.get(0).close();

        awaitTaken(second); // its session ends within moments, its lease in ten minutes
    }

    @Test
    void aFrozenHolderIsReplacedAfterItsLeaseAndNotBefore() throws SQLException {
        LeaseStore first = candidate("first", SHORT);
        Lease frozen = first.tryAcquire().orElseThrow();
        String expires = one("SELECT expires_at FROM relay.lease WHERE slot = '" + slot + "'");
        LeaseStore second = candidate("second", SHORT);

        Lease taken = awaitTaken(second);

        assertThat(one("SELECT acquired_at >= '" + expires + "' FROM relay.lease WHERE slot = '" + slot + "'"))
                .isEqualTo("t");
        assertThat(first.renew(frozen)).isFalse();
        assertThat(taken.fence()).isGreaterThan(frozen.fence());
    }

    @Test
    void aCrashOfTheNextHolderIsNoticedAtOnceThoughTheFrozenOnesSessionLives() throws SQLException {
        LeaseStore frozen = candidate("frozen", SHORT);
        assertThat(frozen.tryAcquire()).isPresent();
        LeaseStore second = candidate("second", LONG);
        Connection secondSession = lastSession();
        awaitTaken(second);
        LeaseStore third = candidate("third", LONG);
        assertThat(third.tryAcquire()).isEmpty();

        secondSession.close();

        awaitTaken(third);
        assertThat(sessions.get(0).isValid(5)).as("the frozen session").isTrue();
    }

    @Test
    void aLookTellsWhetherTheLeaseIsFreeAndWaitsForNobody() throws SQLException {
        LeaseStore second = candidate("second", LONG);
        assertThat(second.looksFree()).as("never taken").isTrue();
        LeaseStore first = candidate("first", LONG);
        Connection holder = lastSession();
        Lease lease = first.tryAcquire().orElseThrow();
        try (Statement row = holder.createStatement()) {
            row.execute("SELECT FROM relay.lease WHERE slot = '" + slot + "' FOR UPDATE");
            assertThat(second.looksFree()).as("held, and its row in hand").isFalse();
            holder.rollback();
        }
        first.release(lease);
        assertThat(second.looksFree()).as("released").isTrue();
        assertThat(first.tryAcquire()).isPresent();
        assertThat(second.looksFree()).as("taken again").isFalse();

        holder.close();

        await().atMost(WAIT).until(second::looksFree);
    }

    @Test
    void manyWhoLookAtOnceDoNotTakeEachOtherForAHolder() throws SQLException {
        Connection crashed = session();
        assertThat(new LeaseStore(crashed, slot, "first", LONG).tryAcquire()).isPresent();
        Connection looking = session();
        crashed.close();
        LeaseStore third = candidate("third", LONG);
        await().atMost(WAIT).until(third::looksFree);
        looking.setAutoCommit(false);
        try (Statement look = looking.createStatement();
                var row = look.executeQuery("SELECT pg_try_advisory_xact_lock_shared(hashtextextended('posthaste.relay."
                        + slot + "', 2))")) {
            row.next();
            assertThat(row.getBoolean(1)).as("looks, and has not ended").isTrue();

            assertThat(third.tryAcquire()).isPresent();
        }
    }

    @Test
    void theFenceRisesAboveOneSeenElsewhereAndStaysWithItsHolder() throws SQLException {
        LeaseStore store = candidate("first", LONG);
        Connection holder = lastSession();
        Lease lease = store.tryAcquire().orElseThrow();

        Lease raised = store.raiseFence(lease, 41).orElseThrow();

        assertThat(raised.fence()).isEqualTo(42);
        assertThat(store.raiseFence(raised, 41)).contains(raised);
        assertThat(store.renew(lease)).isFalse();
        assertThat(store.renew(raised)).isTrue();
        LeaseStore second = candidate("second", LONG);
        assertThat(second.tryAcquire()).isEmpty();
        holder.close();
        assertThat(awaitTaken(second).fence()).isEqualTo(43);
    }

    @Test
    void theFenceOfALeaseThatWasTakenIsNotRaised() throws SQLException {
        LeaseStore first = candidate("first", SHORT);
        Lease lost = first.tryAcquire().orElseThrow();
        Lease taken = awaitTaken(candidate("second", LONG));

        assertThat(first.raiseFence(lost, 99)).isEmpty();
        assertThat(one("SELECT fence FROM relay.lease WHERE slot = '" + slot + "'"))
                .isEqualTo(Long.toString(taken.fence()));
    }

    @Test
    void evidenceUnderAnOldFenceIsRefusedAndNothingIsWritten() throws Exception {
        LeaseStore first = candidate("first", SHORT);
        Lease lost = first.tryAcquire().orElseThrow();
        EvidenceStore stale = evidence(lost);
        stale.settle(batch(1));
        Lease taken = awaitTaken(candidate("second", LONG));

        assertThatThrownBy(() -> stale.settle(batch(2)))
                .isInstanceOf(FencedException.class)
                .hasMessageContaining(slot);

        assertThat(stale.isSettled(1)).isTrue();
        assertThat(stale.isSettled(2)).isFalse();
        EvidenceStore current = evidence(taken);
        current.settle(batch(2));
        assertThat(one("SELECT fence FROM outbox.dispatch_batch WHERE batch = 2 AND slot = '" + slot + "'"))
                .isEqualTo(Long.toString(taken.fence()));
    }

    @Test
    void evidenceWrittenTwiceStaysAsItWas() throws Exception {
        EvidenceStore evidence = evidence(candidate("first", LONG).tryAcquire().orElseThrow());
        DispatchedBatch batch = batch(1);
        evidence.settle(batch);
        String before = one("SELECT message_ids::text FROM outbox.dispatch_batch WHERE slot = '" + slot + "'");
        evidence.settle(batch);
        assertThatThrownBy(() -> evidence.settle(batch(1)))
                .as("the same number for other messages")
                .hasMessageContaining("given out twice");

        assertThat(one("SELECT count(*) FROM outbox.dispatch_batch WHERE slot = '" + slot + "'"))
                .isEqualTo("1");
        assertThat(one("SELECT message_ids::text FROM outbox.dispatch_batch WHERE slot = '" + slot + "'"))
                .isEqualTo(before);
    }

    @Test
    void aLeaderFrozenInsideATransactionDoesNotHoldTheLeaseRowForEver() throws Exception {
        LeaseStore first = candidate("first", SHORT);
        Lease lease = first.tryAcquire().orElseThrow();
        try (Connection frozen = database.connect("posthaste-test");
                LeasedSession unused = LeasedSession.open(frozen, lease, SHORT)) {
            try (Statement guard = frozen.createStatement()) {
                guard.execute("SELECT FROM relay.lease WHERE slot = '" + lease.slot() + "' FOR SHARE");
            }

            awaitTaken(candidate("second", LONG));

            assertThat(frozen.isValid(5)).isFalse();
        }
    }

    @Test
    void evidenceThatHangsOnALockIsGivenUpInTimeToRenewTheLease() throws Exception {
        Duration duration = Duration.ofSeconds(2);
        LeaseStore first = candidate("first", duration);
        Lease lease = first.tryAcquire().orElseThrow();
        Connection ddl = session();
        ddl.setAutoCommit(false);
        try (Statement statement = ddl.createStatement();
                LeasedSession held = LeasedSession.open(session(), lease, duration)) {
            statement.execute("LOCK TABLE outbox.dispatch_batch IN ACCESS EXCLUSIVE MODE");

            assertThatThrownBy(() -> new EvidenceStore(held).settle(batch(1)))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("lock timeout");

            assertThat(first.renew(lease)).isTrue();
            ddl.rollback();
            new EvidenceStore(held).settle(batch(1));
        }
        assertThat(one("SELECT count(*) FROM outbox.dispatch_batch WHERE slot = '" + slot + "'"))
                .isEqualTo("1");
    }

    @Test
    void aStatementThatHangsUnderTheLeaseIsEndedAndAReadMayTakeItsTime() throws Exception {
        Lease lease = candidate("first", LONG).tryAcquire().orElseThrow();
        try (LeasedSession held = LeasedSession.open(session(), lease, SHORT)) {
            assertThatThrownBy(() -> held.write(connection -> sleep(connection, 10)))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("statement timeout");
            boolean read = held.read(connection -> sleep(connection, 0.5));
            assertThat(read).isTrue();
        }
    }

    private static boolean sleep(Connection connection, double seconds) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            return statement.execute("SELECT pg_sleep(" + seconds + ")");
        }
    }

    @Test
    void evidenceSurvivesACrashOfTheServerEvenWhereCommitsNeedNot() throws Exception {
        try (Connection connection = database.connect("posthaste-test");
                Statement statement = connection.createStatement()) {
            statement.execute("ALTER DATABASE " + database.name() + " SET synchronous_commit = off");
        }
        assertThat(one("SHOW synchronous_commit")).isEqualTo("off");
        try (Connection session = database.connect("posthaste-test");
                LeasedSession unused = LeasedSession.open(session, new Lease(slot, "first", 1), LONG);
                Statement statement = session.createStatement();
                var row = statement.executeQuery("SHOW synchronous_commit")) {
            row.next();
            assertThat(row.getString(1)).isEqualTo("on");
        }
    }

    @Test
    void aCandidateFrozenWithTheLeaseRowInHandDoesNotHoldItForEver() throws Exception {
        LeaseStore first = candidate("first", SHORT);
        assertThat(first.tryAcquire()).isPresent();
        try (Statement statement = lastSession().createStatement()) {
            statement.execute("UPDATE relay.lease SET expires_at = 'infinity' WHERE slot = '" + slot + "'");
        }

        awaitTaken(candidate("second", LONG));
    }

    private static DispatchedBatch batch(long number) {
        return new DispatchedBatch(
                number, 1, new Lsn(1), "catalog", List.of(UUID.randomUUID()), Instant.EPOCH, Instant.EPOCH);
    }
}
