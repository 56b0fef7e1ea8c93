package dev.posthaste.examples.library;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;

/**
 * What happens at the desk, mixed at random: single loans and batches, one transaction in ten rolled back, one
 * savepoint in ten. Together exactly so many messages are committed. Thread-safe.
 */
final class LendingDesk {

    private static final int COPIES = 40;
    private static final int MEMBERS = 500;
    private static final int BATCH_MAX = 50;
    private static final int ONE_IN = 10;

    private final DataSource database;
    private final LendingService service;
    private final AtomicInteger left;
    private final long nanosPerMessage;
    private final AtomicLong nextAt = new AtomicLong(System.nanoTime());

    LendingDesk(DataSource database, LendingService service, int messages, int rate) {
        this.database = database;
        this.service = service;
        this.left = new AtomicInteger(messages);
        this.nanosPerMessage = TimeUnit.SECONDS.toNanos(1) / rate;
    }

    /** One writer's work. */
    Void lendUntilDone() throws SQLException, InterruptedException {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        int loans;
        while ((loans = take(random.nextInt(ONE_IN) == 0 ? random.nextInt(2, BATCH_MAX) : 1)) > 0) {
            pace(loans);
            if (random.nextInt(ONE_IN) == 0) {
                rolledBack(loans);
            }
            committed(loans, random.nextInt(ONE_IN) == 0);
        }
        return null;
    }

    private int take(int wanted) {
        int before = left.getAndUpdate(value -> Math.max(0, value - wanted));
        return Math.min(before, wanted);
    }

    private void pace(int loans) throws InterruptedException {
        long at = nextAt.getAndAdd(loans * nanosPerMessage);
        long wait = at - System.nanoTime();
        if (wait > 0) {
            TimeUnit.NANOSECONDS.sleep(wait);
        }
    }

    private void committed(int loans, boolean withSavepoint) throws SQLException {
        List<UUID> undone = withSavepoint ? ledger(1) : List.of();
        try (Connection connection = database.getConnection()) {
            connection.setAutoCommit(false);
            List<String> copies = copies(loans + undone.size());
            for (int i = 0; i < loans; i++) {
                service.lend(connection, UUID.randomUUID(), copies.get(i), member());
            }
            for (UUID id : undone) {
                Savepoint savepoint = connection.setSavepoint();
                service.lend(connection, id, copies.get(loans), member());
                connection.rollback(savepoint);
            }
            connection.commit();
        }
    }

    private void rolledBack(int loans) throws SQLException {
        List<UUID> ids = ledger(loans);
        try (Connection connection = database.getConnection()) {
            connection.setAutoCommit(false);
            List<String> copies = copies(loans);
            for (int i = 0; i < loans; i++) {
                service.lend(connection, ids.get(i), copies.get(i), member());
            }
            connection.rollback();
        }
    }

    /** Notes, in a transaction of its own, ids that are about to be rolled back. */
    private List<UUID> ledger(int count) throws SQLException {
        List<UUID> ids = new ArrayList<>();
        try (Connection connection = database.getConnection();
                PreparedStatement insert =
                        connection.prepareStatement("INSERT INTO lending.to_be_rolled_back (message_id) VALUES (?)")) {
            for (int i = 0; i < count; i++) {
                ids.add(UUID.randomUUID());
                insert.setObject(1, ids.get(i));
                insert.addBatch();
            }
            insert.executeBatch();
        }
        return ids;
    }

    /** Sorted, so that two transactions never lock the same copies in different orders. */
    private static List<String> copies(int count) {
        return ThreadLocalRandom.current()
                .ints(count, 1, COPIES + 1)
                .sorted()
                .mapToObj(number -> "copy-" + number)
                .toList();
    }

    private static String member() {
        return "member-" + ThreadLocalRandom.current().nextInt(1, MEMBERS + 1);
    }
}
