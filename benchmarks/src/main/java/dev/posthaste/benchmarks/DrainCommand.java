package dev.posthaste.benchmarks;

import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.concurrent.Callable;

import org.postgresql.PGConnection;
import org.postgresql.replication.PGReplicationStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import dev.posthaste.relay.source.SourceDatabase;

/**
 * A backlog, read twice from the same place of the WAL: by a plain replication stream that throws its rows away, and by
 * a relay that publishes them. The first is the most that PostgreSQL's decoding allows.
 */
@Command(
        name = "drain",
        description = "How fast a relay drains a backlog, against the raw decoding of the same WAL.",
        mixinStandardHelpOptions = true)
final class DrainCommand implements Callable<Integer> {

    private static final Duration DRAIN_TIMEOUT = Duration.ofMinutes(10);
    private static final String RAW_SLOT = Bench.SLOT + "_raw";

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Option(
            names = "--messages",
            defaultValue = "300000",
            description = "Messages in the backlog (default: ${DEFAULT-VALUE}).")
    private int messages;

    @Option(
            names = "--rows-per-transaction",
            defaultValue = "5",
            description = "Messages in each transaction (default: ${DEFAULT-VALUE}).")
    private int rowsPerTransaction;

    @Override
    public Integer call() throws Exception {
        if (rowsPerTransaction < 1 || messages < 2 * rowsPerTransaction) {
            throw new IllegalArgumentException("--messages is " + messages + " and --rows-per-transaction "
                    + rowsPerTransaction + ", but there must be two transactions at least, of a row at least");
        }
        PrintWriter out = spec.commandLine().getOut();
        try (Bench bench = Bench.start()) {
            int staged = stage(bench);
            double raw = decode(bench, staged);
            try (RelayProcess relay = RelayProcess.start(bench.environment())) {
                bench.awaitProved(staged, DRAIN_TIMEOUT);
                double published = ratePublished(bench);
                OptionalLong resident = relay.mostResidentMegabytes();
                out.printf(Locale.ROOT, "%d messages, %d per transaction%n", staged, rowsPerTransaction);
                out.printf(Locale.ROOT, "%-42s %8.1f k/s%n", "raw decoding, rows thrown away", raw / 1000);
                out.printf(
                        Locale.ROOT,
                        "%-42s %8.1f k/s   ratio %.2f%n",
                        "relay, exactly once to Kafka",
                        published / 1000,
                        published / raw);
                resident.ifPresent(megabytes -> out.printf(
                        Locale.ROOT, "%-42s %8d MB%n", "most memory of the relay (heap: 256 MB)", megabytes));
                out.flush();
            }
        }
        return 0;
    }

    private int stage(Bench bench) throws Exception {
        int transactions = messages / rowsPerTransaction;
        try (Connection connection = bench.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("SET synchronous_commit = off"); // or staging takes longer than all the rest
            statement.execute("DO $$ BEGIN FOR i IN 1.." + transactions
                    + " LOOP INSERT INTO outbox.message (kind, type, schema_version, key, payload)"
                    + " SELECT 'integration-event', '" + Bench.TYPE
                    + "', 1, 'key-' || i, json_build_object('n', n, 'pad',"
                    + " repeat('x', 300)) FROM generate_series(1, " + rowsPerTransaction
                    + ") n; COMMIT; END LOOP; END $$");
        }
        bench.sql("CHECKPOINT"); // whose writes are no part of what is measured
        return transactions * rowsPerTransaction;
    }

    /** Rows a second from the first row to the last. */
    private static double decode(Bench bench, int rows) throws Exception {
        bench.sql("SELECT pg_copy_logical_replication_slot('" + Bench.SLOT + "', '" + RAW_SLOT + "')");
        long first = 0;
        try (Connection connection = bench.superuser().connectForReplication("raw")) {
            PGReplicationStream stream = connection
                    .unwrap(PGConnection.class)
                    .getReplicationAPI()
                    .replicationStream()
                    .logical()
                    .withSlotName(RAW_SLOT)
                    .withSlotOption("proto_version", 1)
                    .withSlotOption("publication_names", Bench.PUBLICATION)
                    .start();
            for (int row = 0; row < rows; ) {
                ByteBuffer message = stream.read();
                if (message.get(message.position()) == 'I') {
                    first = row == 0 ? System.nanoTime() : first;
                    row++;
                }
            }
            return rate(rows, System.nanoTime() - first);
        } finally {
            dropRawSlot(bench);
        }
    }

    /** The server notices a moment later that nobody reads it any more. */
    private static void dropRawSlot(Bench bench) throws Exception {
        try (Connection connection = bench.connect()) {
            new SourceDatabase(connection).dropSlot(RAW_SLOT, Duration.ofSeconds(10));
        }
    }

    private static double rate(double rows, double nanos) {
        return rows / nanos * 1e9;
    }

    /** Messages a second from the first batch proved to the last, so that the start of the process does not count. */
    private static double ratePublished(Bench bench) throws Exception {
        return bench.number(
                "SELECT (sum(cardinality(message_ids)) - (array_agg(cardinality(message_ids) ORDER BY batch))[1])"
                        + " / extract(epoch FROM max(completed_at) - min(completed_at)) FROM outbox.dispatch_batch");
    }
}
