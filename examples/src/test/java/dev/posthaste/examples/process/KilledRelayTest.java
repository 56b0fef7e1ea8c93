package dev.posthaste.examples.process;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Random;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.posthaste.relay.publishing.Position;
import dev.posthaste.relay.source.Lsn;
import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.ReportedCase;
import dev.posthaste.testkit.Stack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.awaitility.Awaitility.await;

/** Relays that get SIGKILL. */
@PosthasteStack
class KilledRelayTest {

    private static final int ROWS = 1_000;
    private static final int ATTEMPTS = 5;
    private static final int LARGE = 6_000;
    private static final int KILLS_IN_LARGE = 3;
    private static final int KILLS_DURING_START = 5;
    private static final int START_MILLIS = 3_000;

    @TempDir
    private Path directory;

    @Test
    @ReportedCase(1)
    void reportedCase1_rowsOfOneInsertThatShareAnLsnArriveOnceThoughTheRelayIsKilledAmidThem(Stack stack) {
        ProcessOutbox outbox = ProcessOutbox.initialised(stack);
        arriveOnceThoughTheRelayIsKilledAmidThem(outbox, outbox::insert);
    }

    @Test
    @ReportedCase(1)
    void reportedCase1_rowsOfOneCopyThatShareAnLsnArriveOnceThoughTheRelayIsKilledAmidThem(Stack stack) {
        ProcessOutbox outbox = ProcessOutbox.initialised(stack);
        arriveOnceThoughTheRelayIsKilledAmidThem(outbox, outbox::copy);
    }

    /** Writes rows with these numbers in one statement. */
    private interface Writing {
        void write(int first, int last);
    }

    private void arriveOnceThoughTheRelayIsKilledAmidThem(ProcessOutbox outbox, Writing statement) {
        int last = killAmid(outbox, statement);
        try (RelayProcess relay = RelayProcess.start(directory, outbox.environment())) {
            relay.awaitStreaming();
            outbox.awaitSettled();
        }
        outbox.requireOnEveryTopic(last);
    }

    /** Writes and kills until a kill is proved to have come when some of the rows were on the topics and some not. */
    private int killAmid(ProcessOutbox outbox, Writing statement) {
        for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
            try (RelayProcess relay = RelayProcess.start(directory, outbox.environment())) {
                relay.awaitStreaming();
                outbox.awaitSettled();
                long batches = outbox.batches();
                int first = (attempt - 1) * ROWS + 1;
                statement.write(first, attempt * ROWS);
                outbox.awaitBatchAfter(batches);
                relay.process().kill();
                int published = outbox.numbersOn("due-notice").size() - first + 1;
                if (published > 0 && published < ROWS) {
                    return attempt * ROWS;
                }
            }
        }
        return fail("none of %d kills came amid the rows", ATTEMPTS);
    }

    @Test
    @ReportedCase(11)
    void aTransactionOfManyBatchesArrivesOnceThoughTheRelayIsKilledBetweenThemAndTheSlotNeverPassesIt(Stack stack)
            throws Exception {
        ProcessOutbox outbox = ProcessOutbox.initialised(stack);
        Lsn beforeCommit = insertInOneTransaction(outbox, LARGE);
        long published = 0;
        for (int kill = 1; kill <= KILLS_IN_LARGE; kill++) {
            long batches = outbox.batches();
            try (RelayProcess relay = RelayProcess.start(directory, outbox.environment())) {
                outbox.awaitBatchAfter(batches);
                relay.process().kill();
            }
            outbox.awaitNoWalsender();
            Position.InProgress inProgress = outbox.position().orElseThrow().inProgress();
            assertThat(inProgress).as("killed within the transaction").isNotNull();
            assertThat(inProgress.rows())
                    .as("rows published")
                    .isGreaterThan(published)
                    .isLessThan(LARGE);
            published = inProgress.rows();
            assertThat(outbox.confirmed()).as("the slot").isLessThanOrEqualTo(beforeCommit);
        }
        try (RelayProcess relay = RelayProcess.start(directory, outbox.environment())) {
            relay.awaitStreaming();
            outbox.awaitSettled();
            outbox.insert(LARGE + 1, LARGE + 1); // whose transaction tells that the large one is over
            outbox.awaitSettled();
            await().until(() -> outbox.confirmed().compareTo(beforeCommit) > 0);
        }
        outbox.requireOnEveryTopic(LARGE + 1);
        outbox.requireProvedOnce(LARGE + 1);
    }

    /** Commits the rows 1 to last; returns where the WAL ended before the commit. */
    private static Lsn insertInOneTransaction(ProcessOutbox outbox, int last) throws SQLException {
        try (Connection connection = outbox.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute(ProcessOutbox.insertStatement(1, last));
            try (ResultSet row = statement.executeQuery("SELECT pg_current_wal_insert_lsn()::text")) {
                row.next();
                Lsn beforeCommit = Lsn.parse(row.getString(1));
                connection.commit();
                return beforeCommit;
            }
        }
    }

    @Test
    void nothingIsLostOrDoubledByKillsAtAnyPointOfTheStartUnderLoad(Stack stack) throws Exception {
        ProcessOutbox outbox = ProcessOutbox.initialised(stack);
        long seed = System.nanoTime();
        Random random = new Random(seed);
        int last;
        try (Load load = Load.start(outbox, 0)) {
            for (int kill = 1; kill <= KILLS_DURING_START; kill++) {
                try (RelayProcess relay = RelayProcess.start(directory, outbox.environment())) {
                    assertThat(relay.process().endsWithin(Duration.ofMillis(random.nextInt(START_MILLIS))))
                            .as(
                                    "ended by itself, seed %d; it said: %s",
                                    seed, relay.process().err())
                            .isFalse();
                    relay.process().kill();
                }
            }
            last = load.stop();
        }
        try (RelayProcess relay = RelayProcess.start(directory, outbox.environment())) {
            relay.awaitStreaming();
            outbox.awaitSettled();
        }
        outbox.requireOnEveryTopic(last);
    }

    @Test
    @ReportedCase(13)
    void aStandbyTakesOverAtOnceWhenTheLeaderIsKilled(Stack stack) throws Exception {
        ProcessOutbox outbox = ProcessOutbox.initialised(stack);
        String[] lease = {"POSTHASTE_LEASE", "30s"};
        int last;
        try (RelayProcess leader = RelayProcess.start(directory, outbox.environment(lease));
                Load load = Load.start(outbox, 0)) {
            leader.awaitStreaming();
            try (RelayProcess standby = RelayProcess.start(directory, outbox.environment(lease))) {
                standby.awaitStandby();
                assertThat(standby.ready().body()).contains("another relay leads");
                assertThat(leader.isStreaming()).isTrue();

                // Before the kill: a standby follows within a blink. Its lease ends then or, renewed once more, later.
                outbox.sql("CREATE TABLE killed AS SELECT owner, expires_at FROM relay.lease");
                leader.process().kill();
                standby.awaitStreaming();
                last = load.stop();
                outbox.awaitSettled();
                assertThat(outbox.number("SELECT count(*) FROM relay.lease l, killed k"
                                + " WHERE l.owner <> k.owner AND l.acquired_at < k.expires_at"))
                        .as("another took over before the lease of the dead one had ended")
                        .isOne();
            }
        }
        outbox.requireOnEveryTopic(last);
    }
}
