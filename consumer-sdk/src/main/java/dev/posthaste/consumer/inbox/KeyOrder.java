package dev.posthaste.consumer.inbox;

import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * Who of some arrivals may run now, and who has to wait for an earlier message of its key.
 *
 * <p>The rule: a message runs when everything that waits before it in {@code inbox.outgoing} is completed, or runs
 * before it in the same transaction. A kept message has its row from the commit that keeps it to the commit that
 * completes it, and the main topic is read in order. So whoever comes to a message finds the row of every earlier one
 * of its key that is not completed; but for a member that was slow to give a partition away and works beside us, see
 * {@link Claims#look}. Not thread-safe; for one claim.
 */
final class KeyOrder {

    /**
     * Only of those that have a row, or that somebody waits before; so many before it count as one more than may be.
     */
    private static final String STANDINGS = """
            SELECT record_offset, place, is_before, ahead
            FROM (SELECT a.record_offset, s.place, coalesce(s.blocked_key IS NOT NULL, false) AS is_before,
                         (SELECT count(*) FROM (SELECT FROM inbox.outgoing o
                                                WHERE o.handler = ? AND o.blocked_key = a.key
                                                  AND o.place < coalesce(s.place, 9223372036854775807) LIMIT ?) w) AS ahead
                  FROM unnest(?::text[], ?::uuid[], ?::timestamptz[], ?::bigint[], ?::bytea[])
                      AS a(tenant, message_id, staged_at, record_offset, key)
                  LEFT JOIN inbox.outgoing s ON s.handler = ? AND s.tenant = a.tenant AND s.message_id = a.message_id
                      AND s.staged_at = a.staged_at) AS standing
            WHERE place IS NOT NULL OR ahead > 0""";

    private final Map<Long, Standing> standings;
    private final Map<ByteBuffer, Queue> queues = new HashMap<>();

    private KeyOrder(Map<Long, Standing> standings) {
        this.standings = standings;
    }

    /**
     * Where an arrival stands.
     *
     * @param place its order among the kept; null if it is not kept
     * @param isBefore whether it is kept so that later ones wait
     * @param ahead so many are kept before it
     */
    private record Standing(@Nullable Long place, boolean isBefore, int ahead) {
        static final Standing NEW = new Standing(null, false, 0);
    }

    /** What this transaction does to one key. */
    private static final class Queue {
        final Set<Long> cleared = new HashSet<>();
        boolean newcomerWaits;
    }

    /** As the tables are now. */
    static KeyOrder read(Connection connection, String handler, List<Arrival> arrivals) throws SQLException {
        List<Arrival> ordered =
                arrivals.stream().filter(a -> a.orderingKey() != null).toList();
        Map<Long, Standing> standings = new HashMap<>();
        if (ordered.isEmpty()) {
            return new KeyOrder(standings);
        }
        try (PreparedStatement query = connection.prepareStatement(STANDINGS)) {
            query.setString(1, handler);
            query.setInt(2, ordered.size());
            int next = SqlArrays.bindIds(query, 3, ordered, Arrival::id);
            query.setArray(next, SqlArrays.of(connection, "bigint", ordered, Arrival::offset));
            query.setArray(next + 1, SqlArrays.ofBytes(connection, ordered, Arrival::orderingKey));
            query.setString(next + 2, handler);
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    standings.put(
                            rows.getLong(1),
                            new Standing((Long) rows.getObject(2), rows.getBoolean(3), rows.getInt(4)));
                }
            }
        }
        return new KeyOrder(standings);
    }

    /** Whether any message waits that concerns these. */
    boolean hasWaiting() {
        return !standings.isEmpty();
    }

    /** Whether it has seen that all of these are kept. */
    boolean knows(Set<Long> kept) {
        return kept.stream()
                .allMatch(offset -> standings.getOrDefault(offset, Standing.NEW).place() != null);
    }

    boolean isSameAs(KeyOrder other) {
        return standings.equals(other.standings);
    }

    private Standing standing(Arrival arrival) {
        return standings.getOrDefault(arrival.offset(), Standing.NEW);
    }

    /**
     * Those that have to wait.
     *
     * @param arrivals in the order in which they would run
     * @param verdicts by offset, on those that have been seen before
     */
    Set<Long> waiting(List<Arrival> arrivals, Map<Long, Verdict> verdicts) {
        Set<Long> waiting = new HashSet<>();
        for (Arrival arrival : arrivals) {
            byte @Nullable [] key = arrival.orderingKey();
            if (key != null && mustWait(arrival, ByteBuffer.wrap(key), verdicts.get(arrival.offset()))) {
                waiting.add(arrival.offset());
            }
        }
        return waiting;
    }

    private boolean mustWait(Arrival arrival, ByteBuffer key, @Nullable Verdict verdict) {
        Queue queue = queues.computeIfAbsent(key, anyKey -> new Queue());
        Standing standing = standing(arrival);
        Long place = standing.place();
        if (place == null && verdict != null) {
            return false; // finished, or begun when nobody was before it
        }
        if (place == null) {
            // One that waits in this very chunk gets its row only later, and those after it wait as well.
            queue.newcomerWaits |= standing.ahead() != queue.cleared.size();
            return queue.newcomerWaits;
        }
        boolean isFirst = standing.ahead()
                == queue.cleared.stream().filter(before -> before < place).count();
        boolean isCompleted = verdict instanceof Verdict.Skip skip && skip.completed();
        boolean runs = verdict instanceof Verdict.Run && isFirst;
        if (standing.isBefore() && (runs || isCompleted)) {
            queue.cleared.add(place);
        }
        return verdict instanceof Verdict.Run && !isFirst;
    }

    /** Keys of which something is completed or kept by such a claim, each once: those after it may go by then. */
    List<byte[]> touched(List<Arrival> arrivals, Map<Long, Verdict> verdicts) {
        Map<ByteBuffer, byte[]> keys = new HashMap<>();
        for (Arrival arrival : arrivals) {
            byte @Nullable [] key = arrival.orderingKey();
            Verdict verdict = verdicts.get(arrival.offset());
            boolean leaves = verdict instanceof Verdict.Run && standing(arrival).place() != null;
            if (key != null && (leaves || verdict instanceof Verdict.Wait)) {
                keys.put(ByteBuffer.wrap(key), key);
            }
        }
        return new ArrayList<>(keys.values());
    }
}
