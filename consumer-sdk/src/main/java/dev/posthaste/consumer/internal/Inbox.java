package dev.posthaste.consumer.internal;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

import org.apache.kafka.common.TopicPartition;

/** The statements on {@code inbox.delivery} of one handler. Immutable and thread-safe. */
final class Inbox {

    /** Sorted, so that two members that claim the same messages wait for each other instead of deadlocking. */
    private static final String CLAIM = """
            INSERT INTO inbox.delivery (handler, tenant, message_id, staged_at, state, completed_at, \
                                        record_topic, record_partition, record_offset)
            SELECT ?, r.tenant, r.message_id, r.staged_at, 'completed', clock_timestamp(), ?, ?, r.record_offset
            FROM unnest(?::text[], ?::uuid[], ?::timestamptz[], ?::bigint[])
                AS r(tenant, message_id, staged_at, record_offset)
            ORDER BY r.tenant, r.message_id, r.staged_at, r.record_offset
            ON CONFLICT DO NOTHING
            RETURNING record_offset, pg_current_xact_id()::text""";

    private static final String STARTED =
            "SELECT record_partition FROM inbox.started_partition WHERE handler = ? AND record_topic = ?";

    private static final String START = """
            INSERT INTO inbox.started_partition (handler, record_topic, record_partition) VALUES (?, ?, ?)
            ON CONFLICT DO NOTHING""";

    private final String handler;
    private final Duration lockTimeout;

    Inbox(String handler, Duration lockTimeout) {
        this.handler = handler;
        this.lockTimeout = lockTimeout;
    }

    /**
     * What a claim won.
     *
     * @param offsets records to run now; the others were completed before
     * @param transaction the transaction's id; empty if nothing was won
     */
    record Claim(Set<Long> offsets, String transaction) {}

    /** Bounds every wait for a lock in this transaction, the handler's included. */
    void limitLocks(Connection connection) throws SQLException {
        try (PreparedStatement limit = connection.prepareStatement("SELECT set_config('lock_timeout', ?, true)")) {
            limit.setString(1, lockTimeout.toMillis() + "ms");
            limit.execute();
        }
    }

    /**
     * Claims and completes deliveries at once: the rows are seen by others if and only if this transaction commits, and
     * waits for those of a transaction under way.
     */
    Claim claim(Connection connection, TopicPartition partition, List<Delivery<?>> deliveries) throws SQLException {
        try (PreparedStatement claim = connection.prepareStatement(CLAIM)) {
            claim.setString(1, handler);
            claim.setString(2, partition.topic());
            claim.setInt(3, partition.partition());
            claim.setArray(
                    4, array(connection, "text", deliveries, d -> d.event().tenant()));
            claim.setArray(
                    5, array(connection, "uuid", deliveries, d -> d.event().id()));
            claim.setArray(6, array(connection, "timestamptz", deliveries, d -> d.event()
                    .stagedAt()
                    .toString()));
            claim.setArray(7, array(connection, "bigint", deliveries, Delivery::offset));
            Set<Long> offsets = new HashSet<>();
            String transaction = "";
            try (ResultSet rows = claim.executeQuery()) {
                while (rows.next()) {
                    offsets.add(rows.getLong(1));
                    transaction = rows.getString(2);
                }
            }
            return new Claim(offsets, transaction);
        }
    }

    /** Throws if the handler has ended the claim's transaction behind the guard's back. */
    void requireSameTransaction(Connection connection, Claim claim) throws SQLException {
        try (PreparedStatement current = connection.prepareStatement("SELECT pg_current_xact_id_if_assigned()::text");
                ResultSet row = current.executeQuery()) {
            row.next();
            if (!claim.transaction().equals(row.getString(1))) {
                throw new TransactionEndedException(claim.offsets().size());
            }
        }
    }

    /** The partitions of a topic that this handler has ever begun to read. */
    Set<Integer> started(Connection connection, String topic) throws SQLException {
        Set<Integer> partitions = new HashSet<>();
        try (PreparedStatement started = connection.prepareStatement(STARTED)) {
            started.setString(1, handler);
            started.setString(2, topic);
            try (ResultSet rows = started.executeQuery()) {
                while (rows.next()) {
                    partitions.add(rows.getInt(1));
                }
            }
        }
        return partitions;
    }

    /** Remembers that this handler has begun to read a partition. */
    void start(Connection connection, TopicPartition partition) throws SQLException {
        try (PreparedStatement start = connection.prepareStatement(START)) {
            start.setString(1, handler);
            start.setString(2, partition.topic());
            start.setInt(3, partition.partition());
            start.executeUpdate();
        }
    }

    private static Array array(
            Connection connection, String type, List<Delivery<?>> deliveries, Function<Delivery<?>, Object> column)
            throws SQLException {
        return connection.createArrayOf(type, deliveries.stream().map(column).toArray());
    }
}
