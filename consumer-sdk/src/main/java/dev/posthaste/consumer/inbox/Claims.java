package dev.posthaste.consumer.inbox;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/** The statements that claim deliveries of one handler. Immutable and thread-safe. */
final class Claims {

    /** Sorted, so that two members that claim the same messages wait for each other instead of deadlocking. */
    private static final String INSERT = """
            INSERT INTO inbox.delivery (handler, tenant, message_id, staged_at, state, attempt, lease_owner, completed_at, \
                                        record_topic, record_partition, record_offset)
            SELECT ?, r.tenant, r.message_id, r.staged_at, ?, r.attempt, ?, CASE WHEN ? THEN clock_timestamp() END,
                   r.topic, r.partition, r.record_offset
            FROM unnest(?::text[], ?::uuid[], ?::timestamptz[], ?::int[], ?::text[], ?::int[], ?::bigint[])
                AS r(tenant, message_id, staged_at, attempt, topic, partition, record_offset)
            ORDER BY r.tenant, r.message_id, r.staged_at, r.record_offset
            ON CONFLICT DO NOTHING
            RETURNING record_offset, attempt, first_seen_at, pg_current_xact_id()::text""";

    private static final String LOOK_UP = """
            SELECT a.record_offset, d.state, d.attempt, d.forgiven, d.first_seen_at, d.lease_owner, d.lease_expires_at,
                   coalesce(d.lease_expires_at > clock_timestamp(), false) AS live, pg_current_xact_id()::text, d.counted_from,
                   d.record_topic, d.record_partition, d.record_offset
            FROM unnest(?::text[], ?::uuid[], ?::timestamptz[], ?::bigint[])
                AS a(tenant, message_id, staged_at, record_offset)
            JOIN inbox.delivery d ON d.handler = ? AND d.tenant = a.tenant AND d.message_id = a.message_id
                AND d.staged_at = a.staged_at
            ORDER BY d.tenant, d.message_id, d.staged_at, a.record_offset
            FOR UPDATE OF d""";

    private final String handler;
    private final String owner;
    private final int attemptsMax;

    Claims(String handler, String owner, int attemptsMax) {
        this.handler = handler;
        this.owner = owner;
        this.attemptsMax = attemptsMax;
    }

    /** A row of another's or of an earlier attempt. */
    private record Row(
            String state,
            int attempt,
            int forgiven,
            Instant firstSeenAt,
            Instant countedFrom,
            @Nullable String owner,
            @Nullable Instant leaseExpiry,
            boolean live,
            String topic,
            int partition,
            long offset) {

        /** Whether the arrival is the record that the row tells of, or one before it. */
        boolean knows(Arrival arrival) {
            return topic.equals(arrival.topic()) && partition == arrival.partition() && arrival.offset() <= offset;
        }

        /** It has a row in {@code inbox.outgoing}. */
        boolean isKept() {
            return state.equals("pending") || state.equals("failed") || state.equals("dead-letter");
        }

        Verdict.Run run(int runAttempt, int runForgiven) {
            return new Verdict.Run(runAttempt, runForgiven, firstSeenAt, countedFrom);
        }
    }

    /** What is known of arrivals after the look at the tables. */
    static final class Findings {
        final Map<Long, Verdict> verdicts = new HashMap<>();
        /** Those granted over a row that was there before, with the verdict. */
        final Map<Long, Verdict.Run> again = new HashMap<>();
        /** Dead letters that came again: they are emitted again. */
        final Set<Long> dead = new HashSet<>();
        /** Keys of which something is completed or kept. */
        List<byte[]> keys = List.of();
        /** Those that have a row in {@code inbox.outgoing} by now. */
        final Set<Long> kept = new HashSet<>();

        String transaction = "";

        /** An earlier message of its key waits: it waits as well. */
        void putBack(long offset) {
            verdicts.put(offset, new Verdict.Wait());
            again.remove(offset);
        }
    }

    /**
     * Inserts what is new under that state and judges what is not.
     *
     * <p>Order per key is decided on what waits when this begins. Whatever was kept before that is seen. What is kept
     * meanwhile, before one of these arrivals, can only be one of these arrivals itself: by a member that had the
     * partition before and is not yet done with its chunk. Our insert waits for it and then finds a row that was not
     * there: then all this is done again, as after any other serialization failure.
     *
     * @param completes whether a granted row is completed at once, else it is marked as in work
     */
    Findings look(Connection connection, List<Arrival> arrivals, boolean completes) throws SQLException {
        Findings findings = new Findings();
        KeyOrder order = KeyOrder.read(connection, handler, arrivals);
        if (order.hasWaiting()) {
            lookUp(connection, arrivals, findings);
            order.waiting(arrivals, findings.verdicts).forEach(findings::putBack);
        }
        insert(
                connection,
                unjudged(arrivals, findings).stream().filter(Claims::isFirst).toList(),
                completes,
                findings);
        lookUp(connection, unjudged(arrivals, findings), findings);
        if (!order.knows(findings.kept)
                && !KeyOrder.read(connection, handler, arrivals).isSameAs(order)) {
            throw new SQLException("a message that came with these is kept by another member since", "40001");
        }
        // A retry without a row: the inbox was restored to an earlier state. It is run as what it says it is, but as
        // the last attempt at most: nobody vouches for its number.
        insert(connection, unjudged(arrivals, findings), completes, findings);
        findings.keys = order.touched(arrivals, findings.verdicts);
        return findings;
    }

    private static boolean isFirst(Arrival arrival) {
        return arrival.attempt() == 1 && !arrival.released();
    }

    private static List<Arrival> unjudged(List<Arrival> arrivals, Findings findings) {
        return arrivals.stream()
                .filter(a -> !findings.verdicts.containsKey(a.offset()))
                .toList();
    }

    private void insert(Connection connection, List<Arrival> arrivals, boolean completes, Findings findings)
            throws SQLException {
        if (arrivals.isEmpty()) {
            return;
        }
        try (PreparedStatement insert = connection.prepareStatement(INSERT)) {
            insert.setString(1, handler);
            insert.setString(2, completes ? "completed" : "processing");
            insert.setString(3, completes ? null : owner);
            insert.setBoolean(4, completes);
            int next = SqlArrays.bindIds(insert, 5, arrivals, Arrival::id);
            insert.setArray(next, SqlArrays.of(connection, "int4", arrivals, a -> Math.min(a.attempt(), attemptsMax)));
            insert.setArray(next + 1, SqlArrays.of(connection, "text", arrivals, Arrival::topic));
            insert.setArray(next + 2, SqlArrays.of(connection, "int4", arrivals, Arrival::partition));
            insert.setArray(next + 3, SqlArrays.of(connection, "bigint", arrivals, Arrival::offset));
            try (ResultSet rows = insert.executeQuery()) {
                while (rows.next()) {
                    Instant firstSeenAt =
                            rows.getObject(3, OffsetDateTime.class).toInstant();
                    findings.verdicts.put(
                            rows.getLong(1), new Verdict.Run(rows.getInt(2), 0, firstSeenAt, firstSeenAt));
                    findings.transaction = rows.getString(4);
                }
            }
        }
    }

    private void lookUp(Connection connection, List<Arrival> arrivals, Findings findings) throws SQLException {
        if (arrivals.isEmpty()) {
            return;
        }
        Map<Long, Arrival> byOffset = new HashMap<>();
        arrivals.forEach(a -> byOffset.put(a.offset(), a));
        try (PreparedStatement query = connection.prepareStatement(LOOK_UP)) {
            int next = SqlArrays.bindIds(query, 1, arrivals, Arrival::id);
            query.setArray(next, SqlArrays.of(connection, "bigint", arrivals, Arrival::offset));
            query.setString(next + 1, handler);
            try (ResultSet rows = query.executeQuery()) {
                Set<DeliveryId> granted = new HashSet<>();
                while (rows.next()) {
                    long offset = rows.getLong(1);
                    Arrival arrival = Objects.requireNonNull(byOffset.get(offset));
                    Row row = row(rows);
                    Verdict verdict = judge(row, arrival);
                    if (verdict instanceof Verdict.Run run) {
                        if (granted.add(arrival.id())) {
                            findings.again.put(offset, run);
                            findings.transaction = rows.getString(9);
                        } else {
                            verdict = new Verdict.Skip(false); // its twin in the same chunk runs
                        }
                    } else if (row.state.equals("dead-letter")) {
                        findings.dead.add(offset);
                    }
                    if (arrival.orderingKey() != null && row.isKept()) {
                        findings.kept.add(offset);
                    }
                    findings.verdicts.put(offset, verdict);
                }
            }
        }
    }

    private static Row row(ResultSet rows) throws SQLException {
        OffsetDateTime expiry = rows.getObject(7, OffsetDateTime.class);
        return new Row(
                rows.getString(2),
                rows.getInt(3),
                rows.getInt(4),
                rows.getObject(5, OffsetDateTime.class).toInstant(),
                rows.getObject(10, OffsetDateTime.class).toInstant(),
                rows.getString(6),
                expiry == null ? null : expiry.toInstant(),
                rows.getBoolean(8),
                rows.getString(11),
                rows.getInt(12),
                rows.getLong(13));
    }

    private Verdict judge(Row row, Arrival arrival) {
        boolean isNext = arrival.attempt() > row.attempt;
        return switch (row.state) {
            case "completed" -> new Verdict.Skip(true);
            case "dead-letter", "discarded" ->
                // A release that has been run once already is a dead letter like any other.
                arrival.released() && !row.knows(arrival)
                        ? row.run(row.attempt + 1, row.attempt)
                        : new Verdict.Skip(false);
            case "processing" -> judgeProcessing(row, arrival);
            default -> isNext ? row.run(row.attempt + 1, row.forgiven) : new Verdict.Skip(false);
        };
    }

    private Verdict judgeProcessing(Row row, Arrival arrival) {
        if (arrival.attempt() < row.attempt && !arrival.released()) {
            return new Verdict.Skip(false);
        }
        if (owner.equals(row.owner)) {
            // Begun or claimed by us. Who claims under leases asks only for what is not in hand: our commit was not
            // heard of.
            return row.run(row.attempt, row.forgiven);
        }
        return row.live && row.leaseExpiry != null
                ? new Verdict.Busy(row.owner, row.leaseExpiry)
                : new Verdict.Unfinished(row.run(row.attempt, row.forgiven));
    }

    /** The verdicts in the order of the arrivals. */
    static List<Verdict> inOrder(List<Arrival> arrivals, Findings findings) {
        List<Verdict> verdicts = new ArrayList<>();
        for (Arrival arrival : arrivals) {
            // A twin of a message that is new in this very chunk: the insert gave it to the other one.
            verdicts.add(findings.verdicts.getOrDefault(arrival.offset(), new Verdict.Skip(false)));
        }
        return verdicts;
    }
}
