package dev.posthaste.relay.publishing;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * How many partitions each topic had when it was first seen, in {@code relay.topic}. The key of a message picks its
 * partition by their count: another count sends later messages of a key elsewhere, past the earlier ones. As
 * thread-safe as its connection.
 */
public final class PartitionMemory {

    private final Connection connection;

    /** Works on that connection, in auto-commit. */
    public PartitionMemory(Connection connection) {
        this.connection = connection;
    }

    /**
     * A topic with another count than when it was first seen.
     *
     * @param first partitions then
     * @param now partitions now
     */
    public record Changed(int first, int now) {}

    /** What is remembered. */
    public Map<String, Integer> all() throws SQLException {
        try (PreparedStatement query = connection.prepareStatement("SELECT topic, partitions FROM relay.topic");
                ResultSet rows = query.executeQuery()) {
            Map<String, Integer> counts = new HashMap<>();
            while (rows.next()) {
                counts.put(rows.getString(1), rows.getInt(2));
            }
            return counts;
        }
    }

    /** Remembers what is seen for the first time; returns what has changed since, and stays remembered as it was. */
    public Map<String, Changed> remember(Map<String, Integer> seen) throws SQLException {
        Map<String, Integer> known = all();
        write("INSERT INTO relay.topic (topic, partitions) VALUES (?, ?) ON CONFLICT DO NOTHING", without(seen, known));
        return changed(seen, known);
    }

    /** Takes what is seen for right from here on; returns what had changed. */
    public Map<String, Changed> accept(Map<String, Integer> seen) throws SQLException {
        Map<String, Changed> changed = changed(seen, all());
        write(
                "INSERT INTO relay.topic (topic, partitions) VALUES (?, ?) "
                        + "ON CONFLICT (topic) DO UPDATE SET partitions = excluded.partitions, seen_at = clock_timestamp()",
                seen);
        return changed;
    }

    private void write(String sql, Map<String, Integer> counts) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(sql)) {
            for (Map.Entry<String, Integer> topic : counts.entrySet()) {
                insert.setString(1, topic.getKey());
                insert.setInt(2, topic.getValue());
                insert.executeUpdate();
            }
        }
    }

    private static Map<String, Integer> without(Map<String, Integer> seen, Map<String, Integer> known) {
        Map<String, Integer> left = new HashMap<>(seen);
        left.keySet().removeAll(known.keySet());
        return left;
    }

    private static Map<String, Changed> changed(Map<String, Integer> seen, Map<String, Integer> known) {
        Map<String, Changed> changed = new TreeMap<>();
        seen.forEach((topic, now) -> {
            Integer first = known.get(topic);
            if (first != null && !first.equals(now)) {
                changed.put(topic, new Changed(first, now));
            }
        });
        return changed;
    }
}
