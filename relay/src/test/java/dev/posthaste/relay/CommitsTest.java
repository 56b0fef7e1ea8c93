package dev.posthaste.relay;

import java.io.StringReader;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.UUID;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.PGConnection;

import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.ReportedCase;
import dev.posthaste.testkit.Stack;

import static org.assertj.core.api.Assertions.assertThat;

/** What is committed is published, however it was written; what is not, is not. */
@PosthasteStack
class CommitsTest {

    @Test
    @ReportedCase(15)
    void rolledBackTransactionsAndSavepointsNeverAppear(Stack stack, @TempDir Path directory) throws Exception {
        Outbox outbox = Outbox.initialised(stack, directory);
        try (RunningRelay relay = RunningRelay.start(outbox.settings()).awaitStreaming();
                Connection connection = outbox.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute(Outbox.insertStatement(20, "rolled back"));
            connection.rollback();

            statement.execute(Outbox.insertStatement(3, "kept"));
            Savepoint outer = connection.setSavepoint();
            statement.execute(Outbox.insertStatement(5, "rolled back"));
            Savepoint inner = connection.setSavepoint();
            statement.execute(Outbox.insertStatement(5, "rolled back"));
            connection.releaseSavepoint(inner);
            connection.rollback(outer);
            Savepoint kept = connection.setSavepoint();
            statement.execute(Outbox.insertStatement(2, "kept"));
            connection.releaseSavepoint(kept);
            connection.commit();

            statement.execute(Outbox.insertStatement(7, "prepared and rolled back"));
            statement.execute("PREPARE TRANSACTION '" + outbox.settings().slot() + "-1'");
            connection.setAutoCommit(true);
            statement.execute("ROLLBACK PREPARED '" + outbox.settings().slot() + "-1'");
            outbox.awaitDispatched();
            assertThat(outbox.dispatched()).isEqualTo(5);
        }
        assertThat(outbox.records("due-notice")).hasSize(5).allMatch(message -> message.key()
                .equals("kept"));
        assertThat(outbox.idsOn("statistics")).isEqualTo(outbox.ids());
    }

    /** Provision S1 54: the bus is adopted because message and business row share one commit, and this shows it. */
    @Test
    void debeziumDeliversOnlyWhatSharesTheBusinessCommit(Stack stack, @TempDir Path directory) throws Exception {
        Outbox outbox = Outbox.initialised(stack, directory);
        outbox.sql("CREATE TABLE public.loan (message_id uuid PRIMARY KEY)");
        try (RunningRelay relay = RunningRelay.start(outbox.settings()).awaitStreaming();
                Connection connection = outbox.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            String both = "WITH staged AS (" + Outbox.insertStatement(2, "loan") + " RETURNING id) "
                    + "INSERT INTO public.loan SELECT id FROM staged";
            for (int round = 0; round < 10; round++) {
                statement.execute(both);
                connection.rollback(); // neither
                statement.execute(both);
                Savepoint undone = connection.setSavepoint();
                statement.execute(both);
                connection.rollback(undone);
                connection.commit(); // both, but for what was undone
            }
            connection.setAutoCommit(true);
            outbox.awaitDispatched();
        }
        assertThat(outbox.idsOn("due-notice"))
                .hasSize(20)
                .containsExactlyInAnyOrderElementsOf(outbox.column("SELECT message_id FROM public.loan").stream()
                        .map(UUID::fromString)
                        .toList());
    }

    @Test
    @ReportedCase(15)
    void aPreparedTransactionIsPublishedOnceItIsCommitted(Stack stack, @TempDir Path directory) throws Exception {
        Outbox outbox = Outbox.initialised(stack, directory);
        String prepared = outbox.settings().slot() + "-2";
        try (RunningRelay relay = RunningRelay.start(outbox.settings()).awaitStreaming();
                Connection connection = outbox.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute(Outbox.insertStatement(10, "prepared"));
            statement.execute("PREPARE TRANSACTION '" + prepared + "'");
            connection.setAutoCommit(true);
            outbox.insert(4, "between");
            outbox.awaitDispatched();
            assertThat(outbox.idsOn("due-notice")).hasSize(4);
            statement.execute("COMMIT PREPARED '" + prepared + "'");
            outbox.awaitDispatched();
        }
        assertThat(outbox.records("due-notice")).hasSize(14);
        outbox.assertEachMessageIsPublishedOnceAndProvedOnce();
    }

    @Test
    @ReportedCase(1)
    void aCopyOfAThousandRowsArrivesOnceAndInOrder(Stack stack, @TempDir Path directory) throws Exception {
        Outbox outbox = Outbox.initialised(stack, directory);
        StringBuilder rows = new StringBuilder();
        for (int n = 0; n < 1000; n++) {
            rows.append(UUID.randomUUID()).append("\tintegration-event\t" + Outbox.TYPE + "\t1\tcopy-1\t{}\n");
        }
        try (RunningRelay relay = RunningRelay.start(outbox.settings()).awaitStreaming();
                Connection connection = outbox.connect()) {
            long copied = connection
                    .unwrap(PGConnection.class)
                    .getCopyAPI()
                    .copyIn(
                            "COPY outbox.message (id, kind, type, schema_version, key, payload) FROM STDIN",
                            new StringReader(rows.toString()));
            assertThat(copied).isEqualTo(1000);
            outbox.awaitDispatched();
        }
        assertThat(outbox.idsOn("due-notice")).isEqualTo(outbox.ids()).hasSize(1000);
        assertThat(outbox.idsOn("statistics")).isEqualTo(outbox.ids());
    }

    @Test
    @ReportedCase(11)
    void aTransactionLargerThanBatchAndQueueArrivesOnceAndInOrder(Stack stack, @TempDir Path directory)
            throws Exception {
        Outbox outbox = Outbox.initialised(stack, directory);
        try (RunningRelay relay = RunningRelay.start(Adjusted.batches(outbox.settings(), 100, 250))
                .awaitStreaming()) {
            outbox.insert(5000, "copy-1");
            outbox.awaitDispatched();
        }
        assertThat(outbox.idsOn("due-notice")).isEqualTo(outbox.ids()).hasSize(5000);
        assertThat(outbox.idsOn("statistics")).isEqualTo(outbox.ids());
        assertThat(outbox.number("SELECT max(cardinality(message_ids)) FROM outbox.dispatch_batch"))
                .isLessThanOrEqualTo(100);
        outbox.assertEachMessageIsPublishedOnceAndProvedOnce();
    }

    @Test
    void rowsThatMoveToTheirDailyPartitionAreNotPublishedTwice(Stack stack, @TempDir Path directory) throws Exception {
        Outbox outbox = Outbox.initialised(stack, directory);
        String today = outbox.column("SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYYMMDD')")
                .get(0);
        outbox.sql("DROP TABLE outbox.message_" + today);
        try (RunningRelay relay = RunningRelay.start(outbox.settings()).awaitStreaming()) {
            outbox.insert(10, "copy-1");
            outbox.awaitDispatched();
            assertThat(outbox.number("SELECT count(*) FROM outbox.message_default"))
                    .isEqualTo(10);
            assertThat(outbox.number("SELECT outbox.ensure_partitions()")).isEqualTo(1);
            assertThat(outbox.number("SELECT count(*) FROM outbox.message_default"))
                    .isZero();
            outbox.insert(1, "copy-1");
            outbox.awaitDispatched();
        }
        assertThat(outbox.ids()).hasSize(11);
        outbox.assertEachMessageIsPublishedOnceAndProvedOnce();
    }
}
