package dev.posthaste.consumer.replay;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;

import dev.posthaste.consumer.inbox.DeadAttempt;
import dev.posthaste.consumer.inbox.DeliveryId;
import dev.posthaste.consumer.inbox.InboxStore;
import dev.posthaste.consumer.inbox.Intervention;
import dev.posthaste.consumer.inbox.Requeued;

/**
 * The statements about frozen selections and their replays, on the caller's connection and in its transaction.
 * Stateless.
 */
final class Replays {

    /** So many dead letters are brought back in one transaction. */
    private static final int CHUNK_MAX = 500;

    /** Larger selections take longer than anybody waits; narrower queries, one after the other, do not. */
    private static final int SELECTED_MAX = 1_000_000;

    private static final String BEGIN =
            "INSERT INTO inbox.replay (replay_id, handler, selection, selected)" + " VALUES (?, ?, ?, 0)";

    private static final String ITEMS =
            "INSERT INTO inbox.replay_item" + " (replay_id, number, tenant, message_id, staged_at, attempt) ";

    private static final String ITEM_COLUMNS =
            "?, row_number() OVER (ORDER BY o.place), o.tenant, o.message_id, o.staged_at, d.attempt";

    private static final String NO_MARKERS = " WHERE d.attempt > 0";

    private static final String ITEM = """
            INSERT INTO inbox.replay_item (replay_id, number, tenant, message_id, staged_at, attempt)
            SELECT ?, row_number() OVER (ORDER BY staged_at), tenant, message_id, staged_at, attempt FROM inbox.delivery
            WHERE handler = ? AND tenant = ? AND message_id = ?""";

    private static final String SIZE = "UPDATE inbox.replay SET selected = ? WHERE replay_id = ?";

    private static final String FIND = "SELECT handler, selection, selected FROM inbox.replay WHERE replay_id = ?";

    private static final String START = """
            UPDATE inbox.replay SET actor = ?, reason = ?, rate = ?, started_at = clock_timestamp()
            WHERE replay_id = ? AND started_at IS NULL""";

    private static final String LOCK = """
            SELECT actor, reason, rate, greatest(paced_until, clock_timestamp()) FROM inbox.replay
            WHERE replay_id = ? FOR UPDATE""";

    private static final String NEXT = """
            SELECT number, tenant, message_id, staged_at, attempt FROM inbox.replay_item
            WHERE replay_id = ? AND result IS NULL ORDER BY number LIMIT ?""";

    private static final String DECIDE = """
            UPDATE inbox.replay_item i SET result = a.result, decided_at = clock_timestamp()
            FROM unnest(?::int[], ?::text[]) AS a(number, result) WHERE i.replay_id = ? AND i.number = a.number""";

    private static final String PACE = "UPDATE inbox.replay SET paced_until = ? WHERE replay_id = ?";

    private static final String REPORT = """
            SELECT r.handler, r.actor, r.reason, r.started_at, r.selected,
                   count(*) FILTER (WHERE i.result = 'requeued'), count(*) FILTER (WHERE i.result = 'already-done'),
                   count(*) FILTER (WHERE i.result = 'no-dead-letter'), count(*) FILTER (WHERE i.result = 'quarantined')
            FROM inbox.replay r LEFT JOIN inbox.replay_item i USING (replay_id)
            WHERE r.replay_id = ? GROUP BY r.replay_id""";

    private Replays() {}

    private record Item(int number, DeadAttempt letter) {}

    private record Replay(Intervention by, Duration apart, Instant nextDue) {}

    /** Freezes what the query finds now. */
    static Selection select(Connection connection, DeadLetterQuery query) throws SQLException {
        UUID id = UUID.randomUUID();
        begin(connection, id, query.handler(), query.description());
        DeadLetterSql found = new DeadLetterSql(query);
        int size;
        try (PreparedStatement insert = connection.prepareStatement(
                ITEMS + found.select(ITEM_COLUMNS, Integer.toString(SELECTED_MAX + 1)) + NO_MARKERS)) {
            insert.setObject(1, id);
            found.bind(insert, 2);
            size = insert.executeUpdate();
        }
        if (size > SELECTED_MAX) {
            throw new IllegalArgumentException("there are more than " + SELECTED_MAX + " " + query.description()
                    + ", more than one selection may have; narrow the query, by time for example");
        }
        return sized(connection, new Selection(id, query.handler(), query.description(), size));
    }

    /** Freezes one message, whatever its state. */
    static Selection selectOne(Connection connection, String handler, String tenant, UUID messageId)
            throws SQLException {
        UUID id = UUID.randomUUID();
        String description = "message " + messageId + " of " + handler;
        begin(connection, id, handler, description);
        try (PreparedStatement insert = connection.prepareStatement(ITEM)) {
            insert.setObject(1, id);
            insert.setString(2, handler);
            insert.setString(3, tenant);
            insert.setObject(4, messageId);
            return sized(connection, new Selection(id, handler, description, insert.executeUpdate()));
        }
    }

    private static void begin(Connection connection, UUID id, String handler, String description) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(BEGIN)) {
            insert.setObject(1, id);
            insert.setString(2, handler);
            insert.setString(3, description);
            insert.executeUpdate();
        }
    }

    private static Selection sized(Connection connection, Selection selection) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(SIZE)) {
            update.setInt(1, selection.size());
            update.setObject(2, selection.id());
            update.executeUpdate();
        }
        return selection;
    }

    static Optional<Selection> find(Connection connection, UUID id) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(FIND)) {
            query.setObject(1, id);
            try (ResultSet rows = query.executeQuery()) {
                return rows.next()
                        ? Optional.of(new Selection(id, rows.getString(1), rows.getString(2), rows.getInt(3)))
                        : Optional.empty();
            }
        }
    }

    /** The first start counts; whoever comes later goes on with it. */
    static void start(Connection connection, UUID id, Intervention by, int ratePerSecond) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(START)) {
            update.setString(1, by.actor());
            update.setString(2, by.reason());
            update.setInt(3, ratePerSecond);
            update.setObject(4, id);
            update.executeUpdate();
        }
    }

    /**
     * Brings the next few of them back. Two replays of one selection wait for each other here.
     *
     * @return whether more may follow
     */
    static boolean advance(Connection connection, InboxStore inbox, UUID id) throws SQLException {
        Replay replay = lock(connection, id);
        List<Item> items = next(connection, id);
        if (items.isEmpty()) {
            return false;
        }
        List<Requeued> results = inbox.requeue(
                connection, items.stream().map(Item::letter).toList(), replay.by(), replay.nextDue(), replay.apart());
        decide(connection, id, items, results);
        long requeued =
                results.stream().filter(result -> result == Requeued.REQUEUED).count();
        pace(connection, id, replay.nextDue().plus(replay.apart().multipliedBy(requeued)));
        return items.size() == CHUNK_MAX;
    }

    private static Replay lock(Connection connection, UUID id) throws SQLException {
        try (PreparedStatement lock = connection.prepareStatement(LOCK)) {
            lock.setObject(1, id);
            try (ResultSet row = lock.executeQuery()) {
                row.next();
                return new Replay(
                        new Intervention(id, row.getString(1), row.getString(2)),
                        Duration.ofSeconds(1).dividedBy(row.getInt(3)),
                        DeadLetterSql.required(row, 4));
            }
        }
    }

    private static List<Item> next(Connection connection, UUID id) throws SQLException {
        List<Item> items = new ArrayList<>();
        try (PreparedStatement query = connection.prepareStatement(NEXT)) {
            query.setObject(1, id);
            query.setInt(2, CHUNK_MAX);
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    DeliveryId delivery = new DeliveryId(
                            rows.getString(2), rows.getObject(3, UUID.class), DeadLetterSql.required(rows, 4));
                    items.add(new Item(rows.getInt(1), new DeadAttempt(delivery, rows.getInt(5))));
                }
            }
        }
        return items;
    }

    private static void decide(Connection connection, UUID id, List<Item> items, List<Requeued> results)
            throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(DECIDE)) {
            update.setArray(1, connection.createArrayOf("int4", column(items, Item::number)));
            update.setArray(2, connection.createArrayOf("text", column(results, Requeued::wireName)));
            update.setObject(3, id);
            update.executeUpdate();
        }
    }

    private static <T> Object[] column(List<T> rows, Function<T, Object> value) {
        return rows.stream().map(value).toArray();
    }

    private static void pace(Connection connection, UUID id, Instant until) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(PACE)) {
            update.setObject(1, until.atOffset(ZoneOffset.UTC));
            update.setObject(2, id);
            update.executeUpdate();
        }
    }

    /** Of a replay that has started. */
    static ReplayReport report(Connection connection, UUID id) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(REPORT)) {
            query.setObject(1, id);
            try (ResultSet row = query.executeQuery()) {
                row.next();
                return new ReplayReport(
                        id,
                        row.getString(1),
                        row.getString(2),
                        row.getString(3),
                        DeadLetterSql.required(row, 4),
                        row.getInt(5),
                        row.getInt(6),
                        row.getInt(7),
                        row.getInt(8),
                        row.getInt(9));
            }
        }
    }
}
