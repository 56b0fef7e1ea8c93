package dev.posthaste.relay.lease;

import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;

import dev.posthaste.relay.setup.TableSetup;
import dev.posthaste.relay.source.DatabaseSettings;
import dev.posthaste.testkit.PostgresServer;
import dev.posthaste.testkit.PosthasteStack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@PosthasteStack
class LeaseKeeperTest {

    private static final Duration LEASE = Duration.ofMillis(900);
    private static final long WAIT_SECONDS = 20;

    private static DatabaseSettings database;

    private final CountDownLatch lost = new CountDownLatch(1);
    private final AtomicInteger timesLost = new AtomicInteger();
    private final String slot = "slot_" + UUID.randomUUID().toString().substring(0, 8);
    private Connection session;
    private LeaseStore store;
    private Lease lease;

    @BeforeAll
    static void tables(PostgresServer postgres) throws Exception {
        database = new DatabaseSettings(
                postgres.host(),
                postgres.port(),
                postgres.createDatabase("keeper"),
                postgres.superuser(),
                postgres.password(),
                "prefer");
        new TableSetup(database).migrateOutbox();
    }

    @BeforeEach
    void acquire() throws Exception {
        session = database.connect("posthaste-test");
        store = new LeaseStore(session, slot, "holder", LEASE);
        lease = store.tryAcquire().orElseThrow();
    }

    @AfterEach
    void endSession() throws Exception {
        session.close();
    }

    private void onLost() {
        timesLost.incrementAndGet();
        lost.countDown();
    }

    private String lease(String column) throws Exception {
        try (Connection connection = database.connect("posthaste-test");
                Statement statement = connection.createStatement();
                var row =
                        statement.executeQuery("SELECT " + column + " FROM relay.lease WHERE slot = '" + slot + "'")) {
            row.next();
            return row.getString(1);
        }
    }

    @Test
    void aKeptLeaseIsRenewedBeyondItsLengthAndNobodyElseGetsIt() throws Exception {
        String firstExpiry = lease("expires_at");
        try (LeaseKeeper keeper = LeaseKeeper.start(store, lease, LEASE, System::nanoTime, this::onLost);
                Connection other = database.connect("posthaste-test")) {
            LeaseStore candidate = new LeaseStore(other, slot, "other", LEASE);
            await().atMost(Duration.ofSeconds(WAIT_SECONDS)).until(() -> {
                assertThat(candidate.tryAcquire()).isEmpty();
                return lease("clock_timestamp() > '" + firstExpiry + "'").equals("t");
            });
            assertThat(keeper.lease()).isEqualTo(lease);
        }
        assertThat(timesLost).hasValue(0);
    }

    @Test
    void aLateTickIsALostLeaseEvenIfNobodyTookIt() throws Exception {
        AtomicLong clock = new AtomicLong();
        try (LeaseKeeper keeper = LeaseKeeper.start(store, lease, LEASE, clock::get, this::onLost)) {
            clock.addAndGet(LEASE.toNanos()); // the process stood still
            assertThat(lost.await(WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(lease("owner")).isEqualTo("holder");
        assertThat(timesLost).hasValue(1);
    }

    @Test
    void aLeaseTakenByAnotherIsReported() throws Exception {
        try (LeaseKeeper keeper = LeaseKeeper.start(store, lease, LEASE, System::nanoTime, this::onLost)) {
            try (Connection connection = database.connect("posthaste-test");
                    Statement statement = connection.createStatement()) {
                statement.execute(
                        "UPDATE relay.lease SET owner = 'other', fence = fence + 1 WHERE slot = '" + slot + "'");
            }
            assertThat(lost.await(WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(timesLost).hasValue(1);
    }

    @Test
    void aLostSessionIsALostLease() throws Exception {
        int pid = session.unwrap(PGConnection.class).getBackendPID();
        try (LeaseKeeper keeper = LeaseKeeper.start(store, lease, LEASE, System::nanoTime, this::onLost)) {
            assertThat(lease("pg_terminate_backend(" + pid + ")")).isEqualTo("t");
            assertThat(lost.await(WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(timesLost).hasValue(1);
    }

    @Test
    void aRaisedFenceIsTheOneRenewedFromThenOn() throws Exception {
        try (LeaseKeeper keeper = LeaseKeeper.start(store, lease, LEASE, System::nanoTime, this::onLost)) {
            Lease raised = keeper.raiseFence(70).orElseThrow();
            assertThat(keeper.lease()).isEqualTo(raised);
            String expiry = lease("expires_at");
            await().atMost(Duration.ofSeconds(WAIT_SECONDS))
                    .until(() -> lease("expires_at > '" + expiry + "'").equals("t"));
        }
        assertThat(lease("fence")).isEqualTo("71");
        assertThat(timesLost).hasValue(0);
    }
}
