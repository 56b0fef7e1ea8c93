package dev.posthaste.relay;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;

import com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.kafka.clients.consumer.ConsumerRecord;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Overlapping transactions of several writers. A locked counter per key numbers its messages in commit order: the lock
 * is held until the end of the transaction, and a roll-back takes the number back. So each topic must show every key's
 * numbers from 1 on, without gap, in order.
 */
final class Writers {

    private static final int KEYS = 12;

    private final Outbox outbox;
    private final long seed;
    private final int keys;
    /** As many transactions may be prepared at a time as the server takes, or a half of it. */
    private final Semaphore prepared;

    private final AtomicLong preparations = new AtomicLong();
    private final AtomicLong savepointsUndone = new AtomicLong();

    Writers(Outbox outbox, long seed) {
        this(outbox, seed, KEYS);
    }

    Writers(Outbox outbox, long seed, int keys) {
        this.outbox = outbox;
        this.seed = seed;
        this.keys = keys;
        this.prepared = new Semaphore((int) outbox.number("SHOW max_prepared_transactions") / 2);
        outbox.sql("CREATE TABLE counter (key int PRIMARY KEY, n bigint NOT NULL)");
        outbox.sql("INSERT INTO counter SELECT k, 0 FROM generate_series(1, " + keys + ") k");
        outbox.sql("CREATE TABLE other_business (id bigserial PRIMARY KEY, text text)");
    }

    /** Runs so many writers with so many transactions each, to their end. */
    void run(int writers, int transactions) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(writers);
        try {
            List<Callable<Void>> tasks = new ArrayList<>();
            for (int writer = 0; writer < writers; writer++) {
                Random random = new Random(seed + writer);
                tasks.add(() -> {
                    write(random, transactions);
                    return null;
                });
            }
            for (Future<Void> done : threads.invokeAll(tasks)) {
                done.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    /** The same for a thread that cannot throw. */
    void runUnchecked(int writers, int transactions) {
        try {
            run(writers, transactions);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private void write(Random random, int transactions) throws SQLException {
        try (Connection connection = outbox.connect()) {
            connection.setAutoCommit(false);
            for (int n = 0; n < transactions; n++) {
                for (int key : someKeys(random)) { // in ascending order, so that writers never deadlock
                    write(connection, random, key);
                }
                end(connection, random);
            }
        }
    }

    private void end(Connection connection, Random random) throws SQLException {
        if (random.nextInt(8) == 0 && prepared.tryAcquire()) {
            try {
                endInTwoPhases(connection, random);
            } finally {
                prepared.release();
            }
        } else if (random.nextInt(5) == 0) {
            connection.rollback();
        } else {
            connection.commit();
        }
    }

    private void endInTwoPhases(Connection connection, Random random) throws SQLException {
        String name = outbox.settings().slot() + "-" + preparations.incrementAndGet();
        try (Statement statement = connection.createStatement()) {
            statement.execute("PREPARE TRANSACTION '" + name + "'");
            connection.setAutoCommit(true);
            statement.execute("SELECT pg_logical_emit_message(false, 'posthaste', 'between the phases')");
            statement.execute((random.nextInt(4) == 0 ? "ROLLBACK" : "COMMIT") + " PREPARED '" + name + "'");
            connection.setAutoCommit(false);
        }
    }

    /** How many transactions were prepared. */
    long preparations() {
        return preparations.get();
    }

    /** How often rows were staged and taken back by a savepoint. */
    long savepointsUndone() {
        return savepointsUndone.get();
    }

    private TreeSet<Integer> someKeys(Random random) {
        TreeSet<Integer> chosen = new TreeSet<>();
        int count = 1 + random.nextInt(4);
        while (chosen.size() < count) {
            chosen.add(1 + random.nextInt(keys));
        }
        return chosen;
    }

    private void write(Connection connection, Random random, int key) throws SQLException {
        Savepoint savepoint = random.nextInt(3) == 0 ? connection.setSavepoint() : null;
        stage(connection, key, random.nextInt(20) == 0 ? 200 : 1 + random.nextInt(3));
        noise(connection, random);
        if (savepoint == null) {
            return;
        }
        if (random.nextBoolean()) {
            connection.rollback(savepoint);
            savepointsUndone.incrementAndGet();
        } else {
            connection.releaseSavepoint(savepoint);
        }
    }

    private static void stage(Connection connection, int key, int messages) throws SQLException {
        long last;
        try (PreparedStatement count =
                connection.prepareStatement("UPDATE counter SET n = n + ? WHERE key = ? RETURNING n")) {
            count.setInt(1, messages);
            count.setInt(2, key);
            try (ResultSet row = count.executeQuery()) {
                row.next();
                last = row.getLong(1);
            }
        }
        try (PreparedStatement insert = connection.prepareStatement(
                "INSERT INTO outbox.message (id, kind, type, schema_version, key, payload) SELECT uuidv7(),"
                        + " 'integration-event', ?, 1, ?, json_build_object('n', n) FROM generate_series(?::bigint, ?) n")) {
            insert.setString(1, Outbox.TYPE);
            insert.setString(2, "key-" + key);
            insert.setLong(3, last - messages + 1);
            insert.setLong(4, last);
            insert.executeUpdate();
        }
    }

    /** What is none of the relay's business, between the rows of a transaction. */
    private static void noise(Connection connection, Random random) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            switch (random.nextInt(6)) {
                case 0 -> statement.execute("SELECT pg_logical_emit_message(true, 'another application', 'inside')");
                case 1 -> statement.execute("SELECT pg_logical_emit_message(false, 'another application', 'outside')");
                case 2 -> statement.execute("SELECT pg_logical_emit_message(true, 'posthaste', 'inside')");
                case 3 -> statement.execute("SELECT pg_logical_emit_message(false, 'posthaste', 'outside')");
                case 4 ->
                    statement.execute(
                            "INSERT INTO other_business (text) SELECT repeat('x', 100) FROM generate_series(1, 20)");
                default -> {}
            }
        }
    }

    /** Checks both topics and the evidence against the tables. */
    void assertExactlyOnceInCommitOrderPerKey() throws Exception {
        outbox.assertEachMessageIsPublishedOnceAndProvedOnce();
        Map<String, Long> counters = new HashMap<>();
        for (String counter : outbox.column("SELECT key || '=' || n FROM counter WHERE n > 0")) {
            String[] keyAndN = counter.split("=", 2);
            counters.put("key-" + keyAndN[0], Long.valueOf(keyAndN[1]));
        }
        assertThat(counters.values().stream().mapToLong(n -> n).sum())
                .as("messages that the writers committed")
                .isEqualTo(outbox.ids().size())
                .isPositive();
        for (String handler : List.of("due-notice", "statistics")) {
            assertThat(lastNumbersInOrder(handler)).isEqualTo(counters);
        }
    }

    private Map<String, Long> lastNumbersInOrder(String handler) throws Exception {
        ObjectMapper json = new ObjectMapper();
        Map<String, Long> last = new HashMap<>();
        for (ConsumerRecord<String, byte[]> message : outbox.records(handler)) {
            long n = json.readTree(message.value()).get("n").asLong();
            assertThat(n)
                    .as("number after %s of %s on the topic of %s", last.get(message.key()), message.key(), handler)
                    .isEqualTo(last.getOrDefault(message.key(), 0L) + 1);
            last.put(message.key(), n);
        }
        return last;
    }

    /** Ends the walsender as an administrator would; returns whether there was one. */
    static boolean endWalsender(Outbox outbox) {
        return outbox.number("SELECT count(*) FROM (SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots"
                        + " WHERE slot_name = '" + outbox.settings().slot() + "' AND active_pid IS NOT NULL) ended")
                > 0;
    }
}
