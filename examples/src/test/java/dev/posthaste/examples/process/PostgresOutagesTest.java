package dev.posthaste.examples.process;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.posthaste.testkit.EmbeddedPostgres;
import dev.posthaste.testkit.KafkaBroker;
import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.ReportedCase;
import dev.posthaste.testkit.ServerSettings;
import dev.posthaste.testkit.StopMode;
import dev.posthaste.testkit.faults.StoreLink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** A relay process whose PostgreSQL fails it in every way, one after another, under load. */
@PosthasteStack
class PostgresOutagesTest {

    private static final String TOO_MANY_CONNECTIONS = "53300";
    private static final int CONNECTIONS_MAX = 30;
    private static final int LARGE = 20_000;
    private static final int WALSENDERS_ENDED = Boolean.getBoolean("posthaste.full") ? 15 : 4;

    private static EmbeddedPostgres postgres;

    @TempDir
    private Path directory;

    @BeforeAll
    static void launch() {
        postgres = EmbeddedPostgres.launch(
                ServerSettings.defaults().withOptions(Map.of("max_connections", Integer.toString(CONNECTIONS_MAX))));
    }

    @AfterAll
    static void close() {
        postgres.close();
    }

    @Test
    @ReportedCase(14)
    void awayInEveryWayPostgresqlIsWaitedForAndNothingIsLostOrDoubled(KafkaBroker kafka) throws Exception {
        ProcessOutbox outbox = ProcessOutbox.initialised(new OwnStack(postgres, kafka));
        try (StoreLink link = StoreLink.toPostgres(postgres.host(), postgres.port());
                RelayProcess relay = RelayProcess.start(directory, through(link, outbox))) {
            relay.awaitStreaming();
            int last;
            WatchedOutage outage;
            try (Load load = Load.start(outbox, 0)) {
                outbox.awaitBatchAfter(outbox.batches() + 10);
                outage = WatchedOutage.ofPostgres(relay, outbox);

                outage.watch("PostgreSQL refuses", WatchedOutage.SHORT, "POSTGRESQL failed", link::refuse, link::heal);
                outage.watch("PostgreSQL is half open", WatchedOutage.LONG, "POSTGRESQL failed", link::stall, () -> {
                    assertThat(link.heldBack()).isPositive();
                    link.heal();
                });
                connectionsRunOut(link, outage);
                outage.requireSlowIsNotAway(link, Duration.ofMillis(40));
                last = load.stop();
            }
            outage.watch(
                    "PostgreSQL restarts",
                    WatchedOutage.SHORT,
                    "POSTGRESQL failed",
                    () -> postgres.stop(StopMode.FAST),
                    postgres::start);
            outbox.awaitSettled();
            outage.requireNothingLeft();
            WatchedOutage.requireNothingLostOrDoubled(outbox, last);
        }
    }

    private static void connectionsRunOut(StoreLink link, WatchedOutage outage) throws Exception {
        List<Connection> crowd = new ArrayList<>();
        try {
            outage.watch(
                    "PostgreSQL has no connection to spare",
                    WatchedOutage.SHORT,
                    "connection slots",
                    () -> {
                        link.refuse(); // so that the relay's own are free, and taken, before it asks for them
                        fill(crowd);
                        link.heal();
                    },
                    () -> closeAll(crowd));
        } finally {
            closeAll(crowd);
        }
    }

    /** Takes every connection there is for others than a superuser. */
    private static void fill(List<Connection> crowd) throws SQLException {
        try (Connection admin = postgres.connect("postgres");
                var statement = admin.createStatement()) {
            statement.execute("CREATE ROLE crowd LOGIN PASSWORD 'crowd'");
        }
        await().atMost(Duration.ofSeconds(30)).until(() -> {
            try {
                while (true) {
                    crowd.add(DriverManager.getConnection(postgres.jdbcUrl("postgres"), "crowd", "crowd"));
                }
            } catch (SQLException e) {
                assertThat(e.getSQLState()).isEqualTo(TOO_MANY_CONNECTIONS);
                // The relay's own and those of the load come and go.
                return crowd.size() >= CONNECTIONS_MAX - 4;
            }
        });
    }

    private static void closeAll(List<Connection> crowd) throws SQLException {
        for (Connection one : crowd) {
            one.close();
        }
        crowd.clear();
    }

    @Test
    @ReportedCase(41)
    void walsendersEndedInTheMiddleOfALargeTransactionWhileTheRelayLivesLoseNothingAndLeaveNothing(KafkaBroker kafka)
            throws Exception {
        ProcessOutbox outbox = ProcessOutbox.initialised(new OwnStack(postgres, kafka));
        try (RelayProcess relay =
                RelayProcess.start(directory, outbox.environment("POSTHASTE_BATCH_MESSAGES", "100"))) {
            relay.awaitStreaming();
            outbox.insert(1, LARGE);
            outbox.awaitBatchAfter(0);
            WatchedOutage leftovers = WatchedOutage.ofPostgres(relay, outbox);
            for (int n = 0; n < WALSENDERS_ENDED; n++) {
                long fence = outbox.fence();
                if (n > 0 && n % 4 == 0) {
                    outbox.awaitSettled();
                    outbox.insert(n / 4 * LARGE + 1, (n / 4 + 1) * LARGE);
                }
                outbox.awaitBatchAfter(outbox.batches() + 3);
                assertThat(outbox.number("SELECT count(pg_terminate_backend(active_pid)) FROM pg_replication_slots"
                                + " WHERE slot_name = '" + outbox.slot() + "'"))
                        .isOne();
                assertThat(outbox.proved() % LARGE).as("in the middle").isPositive();
                outbox.awaitNumber("SELECT fence FROM relay.lease WHERE slot = '" + outbox.slot() + "'", fence + 1);
                relay.awaitStreaming();
            }
            outbox.awaitSettled();
            leftovers.requireNothingLeft();
            assertThat(relay.meter("posthaste_batch_attempts_total{outcome=\"failed\"}"))
                    .isZero();
        }
        WatchedOutage.requireNothingLostOrDoubled(outbox, (WALSENDERS_ENDED + 3) / 4 * LARGE);
    }

    private static Map<String, String> through(StoreLink link, ProcessOutbox outbox) {
        return outbox.environment(
                "POSTHASTE_DATABASE_URL",
                "postgresql://" + outbox.role() + "@" + link.address() + "/" + outbox.slot(),
                "POSTHASTE_BATCH_MESSAGES",
                "500");
    }
}
