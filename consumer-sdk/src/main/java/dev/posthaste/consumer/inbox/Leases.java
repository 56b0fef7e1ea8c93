package dev.posthaste.consumer.inbox;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The statements of leased deliveries. Each claim has a fence above the last one's, and nothing changes a claimed row
 * but under its owner and fence (provisions S1 14 to 17). Immutable and thread-safe.
 */
final class Leases {

    private static final String BEGIN = """
            UPDATE inbox.delivery SET state = 'processing', attempt = ?, forgiven = ?, lease_owner = ?,
                   lease_expires_at = clock_timestamp() + ? * interval '1 millisecond', fence = coalesce(fence, 0) + 1
            WHERE handler = ? AND tenant = ? AND message_id = ? AND staged_at = ?
            RETURNING fence""";

    /**
     * Those that somebody has locked are left for the next time: one of them must not keep the others from renewal. An
     * expired lease that nobody took is renewed as well: whoever takes one changes its fence.
     */
    private static final String RENEW = """
            WITH mine AS (
                SELECT d.handler, d.tenant, d.message_id, d.staged_at
                FROM unnest(?::text[], ?::uuid[], ?::timestamptz[], ?::text[], ?::bigint[])
                    AS a(tenant, message_id, staged_at, owner, fence)
                JOIN inbox.delivery d ON d.handler = ? AND d.tenant = a.tenant AND d.message_id = a.message_id
                    AND d.staged_at = a.staged_at
                WHERE d.state = 'processing' AND d.lease_owner = a.owner AND d.fence = a.fence
                FOR UPDATE OF d SKIP LOCKED)
            UPDATE inbox.delivery d SET lease_expires_at = clock_timestamp() + ? * interval '1 millisecond'
            FROM mine m WHERE d.handler = m.handler AND d.tenant = m.tenant AND d.message_id = m.message_id
              AND d.staged_at = m.staged_at""";

    private static final String LOST = """
            SELECT a.number FROM unnest(?::text[], ?::uuid[], ?::timestamptz[], ?::text[], ?::bigint[])
                WITH ORDINALITY AS a(tenant, message_id, staged_at, owner, fence, number)
            WHERE NOT EXISTS (
                SELECT FROM inbox.delivery d WHERE d.handler = ? AND d.tenant = a.tenant AND d.message_id = a.message_id
                AND d.staged_at = a.staged_at AND d.state = 'processing' AND d.lease_owner = a.owner AND d.fence = a.fence)""";

    /** Where it is completed under this fence, the answer to an earlier try was lost. */
    private static final String COMPLETE = """
            UPDATE inbox.delivery SET state = 'completed', completed_at = coalesce(completed_at, clock_timestamp()),
                   next_attempt = NULL, lease_owner = NULL, lease_expires_at = NULL, code = NULL
            WHERE handler = ? AND tenant = ? AND message_id = ? AND staged_at = ?
              AND fence = ? AND (state = 'completed' OR (state = 'processing' AND lease_owner = ?))""";

    /** The attempt is taken back: whoever comes next makes it. */
    private static final String RELEASE = """
            UPDATE inbox.delivery SET state = 'pending', attempt = attempt - 1, lease_owner = NULL, lease_expires_at = NULL
            WHERE handler = ? AND tenant = ? AND message_id = ? AND staged_at = ?
              AND fence = ? AND state = 'processing' AND lease_owner = ?""";

    private final String handler;
    private final String owner;

    Leases(String handler, String owner) {
        this.handler = handler;
        this.owner = owner;
    }

    /** Takes a row that this transaction has locked or inserted. */
    ClaimLease begin(Connection connection, DeliveryId id, Verdict.Run run, Duration lease) throws SQLException {
        try (PreparedStatement begin = connection.prepareStatement(BEGIN)) {
            begin.setInt(1, run.attempt());
            begin.setInt(2, run.forgiven());
            begin.setString(3, owner);
            begin.setLong(4, lease.toMillis());
            SqlArrays.bindId(begin, 5, handler, id);
            try (ResultSet row = begin.executeQuery()) {
                if (!row.next()) {
                    throw new IllegalStateException("the row of " + id + " is locked and not found");
                }
                return new ClaimLease(owner, row.getLong(1));
            }
        }
    }

    /** Renews; returns those that are no longer held. */
    List<LeasedDelivery> renew(Connection connection, List<LeasedDelivery> held, Duration lease) throws SQLException {
        try (PreparedStatement renew = connection.prepareStatement(RENEW)) {
            int next = bindAll(renew, held);
            renew.setLong(next, lease.toMillis());
            renew.executeUpdate();
        }
        try (PreparedStatement query = connection.prepareStatement(LOST)) {
            bindAll(query, held);
            List<LeasedDelivery> lost = new ArrayList<>();
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    lost.add(held.get(rows.getInt(1) - 1));
                }
            }
            return lost;
        }
    }

    private int bindAll(PreparedStatement statement, List<LeasedDelivery> held) throws SQLException {
        Connection connection = statement.getConnection();
        int next = SqlArrays.bindIds(statement, 1, held, LeasedDelivery::id);
        statement.setArray(
                next, SqlArrays.of(connection, "text", held, one -> one.lease().owner()));
        statement.setArray(next + 1, SqlArrays.of(connection, "bigint", held, one -> one.lease()
                .fence()));
        statement.setString(next + 2, handler);
        return next + 3;
    }

    boolean complete(Connection connection, LeasedDelivery held) throws SQLException {
        return end(connection, COMPLETE, held);
    }

    boolean release(Connection connection, LeasedDelivery held) throws SQLException {
        return end(connection, RELEASE, held);
    }

    private boolean end(Connection connection, String sql, LeasedDelivery held) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(sql)) {
            int next = SqlArrays.bindId(update, 1, handler, held.id());
            update.setLong(next, held.lease().fence());
            update.setString(next + 1, held.lease().owner());
            return update.executeUpdate() == 1;
        }
    }
}
