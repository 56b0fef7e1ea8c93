package dev.posthaste.producer;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import dev.posthaste.testkit.PostgresServer;
import dev.posthaste.testkit.PosthasteStack;

import static dev.posthaste.producer.OutboxDatabase.loan;
import static org.assertj.core.api.Assertions.assertThat;

/** What is pending is told exactly, whatever the order in which transactions end and messages are dispatched. */
@PosthasteStack
class PendingTest {

    private OutboxDatabase database;

    @BeforeEach
    void migrate(PostgresServer server) {
        database = OutboxDatabase.create(server);
    }

    private Set<UUID> pending() throws SQLException {
        Set<UUID> ids = new HashSet<>();
        database.query("SELECT id FROM outbox.pending()").forEach(id -> ids.add(UUID.fromString(id)));
        assertThat(database.query("SELECT messages FROM outbox.pending_summary()"))
                .containsExactly(String.valueOf(ids.size()));
        return ids;
    }

    private long settledXid() throws SQLException {
        return Long.parseLong(database.query("SELECT xid FROM outbox.settled").get(0));
    }

    private void advance() throws SQLException {
        database.execute("SELECT outbox.advance_settled()");
    }

    @Test
    void aMessageIsPendingFromItsCommitToItsEvidence() throws SQLException {
        assertThat(pending()).isEmpty();
        UUID id = database.stageCommitted();
        assertThat(pending()).containsExactly(id);
        database.dispatch(1, List.of(id));
        assertThat(pending()).isEmpty();
    }

    @Test
    void theSummaryNamesTheOldest() throws SQLException {
        assertThat(database.query("SELECT oldest_created_at FROM outbox.pending_summary()"))
                .containsExactly("null");
        UUID first = database.stageCommitted();
        database.stageCommitted();
        assertThat(database.query(
                        "SELECT s.oldest_created_at = m.created_at FROM outbox.pending_summary() s, outbox.message m WHERE m.id = ?",
                        first))
                .containsExactly("t");
    }

    @Test
    void theBoundsAdvanceOverWhatIsDispatched() throws SQLException {
        UUID first = database.stageCommitted();
        advance();
        database.dispatch(1, List.of(first));
        advance();
        long settled = settledXid();
        assertThat(settled).isPositive();
        UUID second = database.stageCommitted();
        database.dispatch(2, List.of(second));
        advance();
        advance();
        assertThat(settledXid()).isGreaterThan(settled);
        assertThat(pending()).isEmpty();

        assertThat(database.query("SELECT staged_xid < (SELECT xid FROM outbox.settled) FROM outbox.message"))
                .as("both are below the bound, so the count does not read them")
                .containsExactly("t", "t");
    }

    @Test
    void theBoundsWaitForAPendingMessage() throws SQLException {
        UUID waiting = database.stageCommitted();
        for (int batch = 1; batch < 10; batch++) {
            database.dispatch(batch, List.of(database.stageCommitted()));
            advance();
        }
        assertThat(pending()).containsExactly(waiting);
    }

    @Test
    void anotherSlotThatCountsItsBatchesFromOneChangesNothing() throws SQLException {
        for (int batch = 100; batch < 105; batch++) {
            database.dispatch("old", batch, List.of(database.stageCommitted()));
            advance();
        }
        UUID first = database.stageCommitted();
        assertThat(pending()).containsExactly(first);
        database.dispatch("new", 1, List.of(first));
        assertThat(pending()).isEmpty();
    }

    @Test
    void theBoundsWaitForALongTransaction() throws SQLException {
        try (Connection longRunning = database.begin()) {
            UUID late = Outbox.create().stage(longRunning, loan("{}"));
            settleOthers();
            assertThat(pending()).as("not committed").isEmpty();
            longRunning.commit();
            advance();
            assertThat(pending()).containsExactly(late);
            database.dispatch(50, List.of(late));
            assertThat(pending()).isEmpty();
        }
    }

    @Test
    void theBoundsWaitForAPreparedTransaction() throws SQLException {
        UUID late;
        String name = "pending_" + UUID.randomUUID();
        try (Connection connection = database.begin();
                Statement statement = connection.createStatement()) {
            late = Outbox.create().stage(connection, loan("{}"));
            statement.execute("PREPARE TRANSACTION '" + name + "'");
        }
        try {
            settleOthers();
            assertThat(pending()).as("only prepared").isEmpty();
        } finally {
            database.execute("COMMIT PREPARED '" + name + "'");
        }
        advance();
        assertThat(pending()).containsExactly(late);
    }

    private void settleOthers() throws SQLException {
        long before = settledXid();
        for (int batch = 1; batch < 10; batch++) {
            database.dispatch(batch, List.of(database.stageCommitted()));
            advance();
        }
        assertThat(settledXid()).isGreaterThanOrEqualTo(before);
    }

    /** A savepoint has a transaction id of its own, greater than those of later transactions may be. */
    @Test
    void savepointsCountUnderTheirTransaction() throws SQLException {
        try (Connection connection = database.begin()) {
            connection.setSavepoint();
            UUID inSavepoint = Outbox.create().stage(connection, loan("{}"));
            settleOthers();
            connection.commit();
            advance();
            assertThat(pending()).containsExactly(inSavepoint);
        }
    }

    @Test
    void theCountStaysExactWhateverTheOrder() throws SQLException {
        Random random = new Random(20_260_301);
        List<Connection> open = new ArrayList<>();
        List<UUID> staged = new ArrayList<>(); // of the open connection at the same index
        Set<UUID> committed = new HashSet<>();
        long batch = 1;
        try {
            for (int step = 0; step < 400; step++) {
                switch (random.nextInt(6)) {
                    case 0, 1 -> {
                        if (open.size() < 10) {
                            Connection connection = database.begin();
                            open.add(connection);
                            staged.add(Outbox.create().stage(connection, loan("{}")));
                        }
                    }
                    case 2, 3 -> {
                        if (!open.isEmpty()) {
                            int which = random.nextInt(open.size());
                            UUID id = staged.remove(which);
                            try (Connection connection = open.remove(which)) {
                                if (random.nextInt(5) == 0) {
                                    connection.rollback();
                                } else {
                                    connection.commit();
                                    committed.add(id);
                                }
                            }
                        }
                    }
                    case 4 -> {
                        List<UUID> some = committed.stream()
                                .filter(id -> random.nextInt(3) > 0)
                                .toList();
                        if (!some.isEmpty()) {
                            database.dispatch(batch++, some);
                            some.forEach(committed::remove);
                        }
                    }
                    default -> advance();
                }
                assertThat(pending()).as("step %d", step).isEqualTo(committed);
            }
        } finally {
            for (Connection connection : open) {
                connection.close();
            }
        }
        assertThat(settledXid()).as("the bounds did advance").isPositive();
    }

    @Test
    void theRecordTellsTheWholeLifecycle() throws SQLException {
        UUID pending = database.stageCommitted();
        UUID dispatched = database.stageCommitted();
        database.dispatch(7, List.of(database.stageCommitted(), dispatched));

        String columns = "state || ' ' || attempt || ' ' || coalesce(batch, 0) || ' '"
                + " || (next_attempt IS NULL) || ' ' || (completed_at IS NULL)";
        String select = "SELECT " + columns + " FROM outbox.record WHERE id = ?";
        assertThat(database.query(select, pending)).containsExactly("pending 0 0 false true");
        assertThat(database.query(select, dispatched)).containsExactly("dispatched 1 7 true false");
        assertThat(database.query("SELECT type || payload::text FROM outbox.record WHERE id = ?", pending))
                .containsExactly("library.loan-borrowed{}");
    }

    @Test
    void theRecordNamesTheFirstEvidenceOnce() throws SQLException {
        UUID id = database.stageCommitted();
        database.dispatch(3, List.of(id));
        database.dispatch(4, List.of(id));

        assertThat(database.query("SELECT batch FROM outbox.record WHERE id = ?", id))
                .containsExactly("3");
    }
}
