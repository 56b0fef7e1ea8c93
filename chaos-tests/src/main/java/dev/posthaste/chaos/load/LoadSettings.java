package dev.posthaste.chaos.load;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * What a {@link LoadProcess} is told by its environment. Immutable.
 *
 * @param jdbcUrl {@code CHAOS_JDBC_URL}: the database with the outbox; may name several hosts
 * @param user {@code CHAOS_USER}: a member of {@code posthaste_writer}
 * @param password {@code CHAOS_PASSWORD}
 * @param history {@code CHAOS_HISTORY}: the file to write; where it is there already, one beside it, as
 *     {@code load-2.jsonl}
 * @param stopFile {@code CHAOS_STOP_FILE}: ends the load once it is there
 * @param seed {@code CHAOS_SEED}: of all that is random
 * @param rate {@code CHAOS_RATE}: messages a second, of all writers; 0: none but the extras
 * @param writers {@code CHAOS_WRITERS}: threads, each with a connection
 * @param keys {@code CHAOS_KEYS}: how many different ones
 * @param transactionMax {@code CHAOS_TRANSACTION_MAX}: most messages in one transaction
 * @param rollbackShare {@code CHAOS_ROLLBACK_SHARE}: of the transactions, rolled back on purpose
 * @param savepointShare {@code CHAOS_SAVEPOINT_SHARE}: of the messages, under a savepoint that is rolled back
 * @param refusedShare {@code CHAOS_REFUSED_SHARE}: of the messages, of a type that no handler reads
 * @param payloadBytesMin {@code CHAOS_PAYLOAD_BYTES_MIN}: of the filler
 * @param payloadBytesMax {@code CHAOS_PAYLOAD_BYTES_MAX}: of the filler
 * @param largeShare {@code CHAOS_LARGE_SHARE}: of the messages, with a large filler
 * @param largeBytes {@code CHAOS_LARGE_BYTES}: of a large filler
 * @param huge {@code CHAOS_HUGE}: messages of one extra transaction; 0: there is none
 * @param openFor {@code CHAOS_OPEN_SECONDS}: how long one extra transaction stays open; zero: there is none
 * @param socketTimeout {@code CHAOS_SOCKET_TIMEOUT_SECONDS}: after what silence a connection is given up
 */
public record LoadSettings(
        String jdbcUrl,
        String user,
        String password,
        Path history,
        Optional<Path> stopFile,
        long seed,
        int rate,
        int writers,
        int keys,
        int transactionMax,
        double rollbackShare,
        double savepointShare,
        double refusedShare,
        int payloadBytesMin,
        int payloadBytesMax,
        double largeShare,
        int largeBytes,
        int huge,
        Duration openFor,
        Duration socketTimeout) {

    /** What a message may have, its other fields and quotes apart. */
    private static final int FILLER_BYTES_MAX = 8_000_000;

    /**
     * Checks what no variable can check alone.
     *
     * @throws IllegalArgumentException when the least payload is larger than the largest
     */
    public LoadSettings {
        if (payloadBytesMin > payloadBytesMax) {
            throw new IllegalArgumentException("CHAOS_PAYLOAD_BYTES_MIN is " + payloadBytesMin
                    + ", but must be at most CHAOS_PAYLOAD_BYTES_MAX, which is " + payloadBytesMax);
        }
    }

    /**
     * Reads them.
     *
     * @throws IllegalArgumentException naming the variable, its value and the rule
     */
    public static LoadSettings of(Map<String, String> environment) {
        Variables variables = new Variables(environment);
        return new LoadSettings(
                variables.required("CHAOS_JDBC_URL"),
                variables.required("CHAOS_USER"),
                variables.required("CHAOS_PASSWORD"),
                Path.of(variables.required("CHAOS_HISTORY")),
                variables.text("CHAOS_STOP_FILE").map(Path::of),
                variables.number("CHAOS_SEED", 1, Long.MIN_VALUE, Long.MAX_VALUE),
                variables.count("CHAOS_RATE", 200, 0, 100_000),
                variables.count("CHAOS_WRITERS", 4, 1, 64),
                variables.count("CHAOS_KEYS", 50, 1, 1_000_000),
                variables.count("CHAOS_TRANSACTION_MAX", 20, 1, 10_000),
                variables.share("CHAOS_ROLLBACK_SHARE"),
                variables.share("CHAOS_SAVEPOINT_SHARE"),
                variables.share("CHAOS_REFUSED_SHARE"),
                variables.count("CHAOS_PAYLOAD_BYTES_MIN", 50, 0, FILLER_BYTES_MAX),
                variables.count("CHAOS_PAYLOAD_BYTES_MAX", 500, 0, FILLER_BYTES_MAX),
                variables.share("CHAOS_LARGE_SHARE"),
                variables.count("CHAOS_LARGE_BYTES", 200_000, 0, FILLER_BYTES_MAX),
                variables.count("CHAOS_HUGE", 0, 0, 1_000_000),
                Duration.ofSeconds(variables.number("CHAOS_OPEN_SECONDS", 0, 0, 3_600)),
                Duration.ofSeconds(variables.number("CHAOS_SOCKET_TIMEOUT_SECONDS", 5, 1, 600)));
    }
}
