package dev.posthaste.benchmarks;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** From the call of COMMIT to a consumer with {@code read_committed}, at several rates, in one run. */
@Command(
        name = "latency",
        description = "Time from commit to a read_committed consumer at several rates, one message per transaction.",
        mixinStandardHelpOptions = true)
final class LatencyCommand implements Callable<Integer> {

    private static final int WARM_UP_RATE = 100;
    private static final int WARM_UP_MESSAGES = 1_000;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Option(
            names = "--rates",
            defaultValue = "1,10,500",
            split = ",",
            description = "Messages a second, one after the other; ratios are to the last (default: ${DEFAULT-VALUE}).")
    @SuppressWarnings("NullAway.Init")
    private List<Integer> rates;

    @Option(
            names = "--seconds",
            defaultValue = "30",
            description = "How long each rate is kept up (default: ${DEFAULT-VALUE}).")
    private int seconds;

    /** What was measured at a rate, in milliseconds. */
    private record Latencies(int rate, int messages, double p50, double p99, double max) {

        static Latencies of(int rate, long[] nanos) {
            long[] sorted = nanos.clone();
            Arrays.sort(sorted);
            return new Latencies(rate, sorted.length, at(sorted, 0.5), at(sorted, 0.99), at(sorted, 1));
        }

        private static double at(long[] sorted, double share) {
            int index = Math.max(0, (int) Math.ceil(sorted.length * share) - 1);
            return sorted[index] / 1e6;
        }
    }

    @Override
    public Integer call() throws Exception {
        if (seconds < 1 || rates.stream().anyMatch(rate -> rate < 1)) {
            throw new IllegalArgumentException(
                    "--seconds is " + seconds + " and --rates " + rates + ", but all of them must be at least 1");
        }
        PrintWriter out = spec.commandLine().getOut();
        List<Latencies> all = new ArrayList<>();
        try (Bench bench = Bench.start();
                RelayProcess relay = RelayProcess.start(bench.environment());
                Arrivals arrivals = Arrivals.on(bench.bootstrapServers(), bench.topic())) {
            measure(bench, arrivals, WARM_UP_RATE, Math.min(WARM_UP_MESSAGES, WARM_UP_RATE * seconds));
            for (int rate : rates) {
                all.add(Latencies.of(rate, measure(bench, arrivals, rate, rate * seconds)));
            }
        }
        print(all, out);
        return 0;
    }

    private static long[] measure(Bench bench, Arrivals arrivals, int rate, int messages) throws Exception {
        UUID[] ids = new UUID[messages];
        long[] committed = new long[messages];
        try (Connection connection = bench.connect();
                PreparedStatement insert = connection.prepareStatement(
                        "INSERT INTO outbox.message (id, kind, type, schema_version, key, payload)"
                                + " VALUES (?, 'integration-event', ?, 1, 'measured', ?::json)")) {
            connection.setAutoCommit(false);
            long start = System.nanoTime();
            for (int n = 0; n < messages; n++) {
                waitUntil(start + n * 1_000_000_000L / rate);
                ids[n] = UUID.randomUUID();
                committed[n] = stage(connection, insert, ids[n]);
            }
        }
        long[] arrived = arrivals.await(ids, Duration.ofSeconds(60));
        for (int n = 0; n < messages; n++) {
            arrived[n] -= committed[n];
        }
        return arrived;
    }

    private static long stage(Connection connection, PreparedStatement insert, UUID id) throws SQLException {
        insert.setObject(1, id);
        insert.setString(2, Bench.TYPE);
        insert.setString(3, "{\"pad\": \"" + "x".repeat(300) + "\"}");
        insert.executeUpdate();
        long now = System.nanoTime();
        connection.commit();
        return now;
    }

    private static void waitUntil(long nanoTime) {
        long left = nanoTime - System.nanoTime();
        while (left > 0) {
            LockSupport.parkNanos(left);
            left = nanoTime - System.nanoTime();
        }
    }

    private static void print(List<Latencies> all, PrintWriter out) {
        Latencies last = all.get(all.size() - 1);
        out.printf(
                Locale.ROOT,
                "%8s %9s %9s %9s %9s   ratio to %d/s: p50, p99%n",
                "rate",
                "messages",
                "p50",
                "p99",
                "max",
                last.rate());
        for (Latencies measured : all) {
            out.printf(
                    Locale.ROOT,
                    "%6d/s %9d %6.1f ms %6.1f ms %6.1f ms   %.2f, %.2f%n",
                    measured.rate(),
                    measured.messages(),
                    measured.p50(),
                    measured.p99(),
                    measured.max(),
                    measured.p50() / last.p50(),
                    measured.p99() / last.p99());
        }
        out.flush();
    }
}
