package dev.posthaste.consumer.inbox;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;

/** The statements about business keys of one handler. Immutable and thread-safe. */
final class BusinessKeys {

    /**
     * Sorted, so that two members that use the same keys wait for each other instead of deadlocking; of several
     * messages with one key the first in order gets it.
     */
    private static final String USE = """
            INSERT INTO inbox.business_key (handler, tenant, key, payload_hash, message_id, staged_at)
            SELECT ?, a.tenant, a.key, a.hash, a.message_id, a.staged_at
            FROM unnest(?::text[], ?::uuid[], ?::timestamptz[], ?::text[], ?::bytea[], ?::int[])
                AS a(tenant, message_id, staged_at, key, hash, number)
            ORDER BY a.tenant, a.key, a.number
            ON CONFLICT DO NOTHING
            RETURNING tenant, key""";

    private static final String LOOK_UP = """
            SELECT a.number, k.tenant, k.message_id, k.staged_at, k.payload_hash = a.hash, NOT EXISTS (
                SELECT FROM inbox.delivery d WHERE d.handler = k.handler AND d.tenant = k.tenant
                AND d.message_id = k.message_id AND d.staged_at = k.staged_at
                AND d.state NOT IN ('completed', 'discarded'))
            FROM unnest(?::text[], ?::uuid[], ?::timestamptz[], ?::text[], ?::bytea[], ?::int[])
                AS a(tenant, message_id, staged_at, key, hash, number)
            JOIN inbox.business_key k ON k.handler = ? AND k.tenant = a.tenant AND k.key = a.key""";

    private static final String GIVE_BACK = """
            DELETE FROM inbox.business_key k USING unnest(?::text[], ?::uuid[], ?::timestamptz[])
                AS a(tenant, message_id, staged_at)
            WHERE k.handler = ? AND k.tenant = a.tenant AND k.message_id = a.message_id AND k.staged_at = a.staged_at""";

    private final String handler;

    BusinessKeys(String handler) {
        this.handler = handler;
    }

    private record Numbered(int number, BusinessKey key) {
        Name name() {
            return new Name(key.id().tenant(), key.key());
        }
    }

    private record Name(String tenant, String key) {}

    List<KeyVerdict> use(Connection connection, List<BusinessKey> keys) throws SQLException {
        List<Numbered> numbered = IntStream.range(0, keys.size())
                .mapToObj(i -> new Numbered(i, keys.get(i)))
                .toList();
        Set<Name> free = insert(connection, numbered);
        List<KeyVerdict> verdicts = new ArrayList<>();
        List<Numbered> others = new ArrayList<>();
        for (Numbered one : numbered) {
            verdicts.add(new KeyVerdict.First());
            if (!free.remove(one.name())) {
                others.add(one);
            }
        }
        if (!others.isEmpty() && lookUp(connection, numbered, others, verdicts) < others.size()) {
            throw new SQLException("a key has been given back since", "40001");
        }
        return verdicts;
    }

    /** Those that nobody had. */
    private Set<Name> insert(Connection connection, List<Numbered> keys) throws SQLException {
        Set<Name> free = new HashSet<>();
        try (PreparedStatement insert = connection.prepareStatement(USE)) {
            insert.setString(1, handler);
            bind(insert, 2, keys);
            try (ResultSet rows = insert.executeQuery()) {
                while (rows.next()) {
                    free.add(new Name(rows.getString(1), rows.getString(2)));
                }
            }
        }
        return free;
    }

    /** Returns how many of them somebody has. */
    private int lookUp(Connection connection, List<Numbered> all, List<Numbered> keys, List<KeyVerdict> verdicts)
            throws SQLException {
        int found = 0;
        try (PreparedStatement query = connection.prepareStatement(LOOK_UP)) {
            query.setString(bind(query, 1, keys), handler);
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    int number = rows.getInt(1);
                    DeliveryId by = new DeliveryId(
                            rows.getString(2),
                            rows.getObject(3, UUID.class),
                            rows.getObject(4, OffsetDateTime.class).toInstant());
                    verdicts.set(number, verdict(by, all.get(number).key().id(), rows));
                    found++;
                }
            }
        }
        return found;
    }

    private static KeyVerdict verdict(DeliveryId by, DeliveryId asking, ResultSet row) throws SQLException {
        if (by.equals(asking)) {
            return new KeyVerdict.First(); // since an earlier attempt
        }
        return row.getBoolean(5) ? new KeyVerdict.Used(by, row.getBoolean(6)) : new KeyVerdict.Conflict(by);
    }

    private static int bind(PreparedStatement statement, int first, List<Numbered> keys) throws SQLException {
        Connection connection = statement.getConnection();
        int next = SqlArrays.bindIds(statement, first, keys, one -> one.key().id());
        statement.setArray(
                next, SqlArrays.of(connection, "text", keys, one -> one.key().key()));
        statement.setArray(
                next + 1, SqlArrays.ofBytes(connection, keys, one -> one.key().payloadHash()));
        statement.setArray(next + 2, SqlArrays.of(connection, "int4", keys, Numbered::number));
        return next + 3;
    }

    /** For deliveries that do not have their effect, as far as is known. */
    void giveBack(Connection connection, List<DeliveryId> deliveries) throws SQLException {
        try (PreparedStatement delete = connection.prepareStatement(GIVE_BACK)) {
            delete.setString(SqlArrays.bindIds(delete, 1, deliveries, id -> id), handler);
            delete.executeUpdate();
        }
    }
}
