package dev.posthaste.relay.publishing;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;

/**
 * Since when topics are closed, in {@code relay.closed_topic}. For a while everything waits for a topic as in an
 * outage, for the order per key is kept then; beyond it the other handlers must not wait longer. As thread-safe as its
 * connection.
 */
public final class ClosedTopicMemory {

    /** How long everything waits for one topic. */
    public static final Duration GRACE = Duration.ofSeconds(30);

    private final Connection connection;

    /** Works on that connection; whoever calls commits. */
    public ClosedTopicMemory(Connection connection) {
        this.connection = connection;
    }

    /**
     * Notes which of the topics are closed, and which are not any more.
     *
     * @return those that are closed for so short a time that everything waits for them
     */
    public Set<String> note(Collection<String> topics, Collection<String> closed) throws SQLException {
        Array all = connection.createArrayOf("text", topics.toArray());
        Array now = connection.createArrayOf("text", closed.toArray());
        try (PreparedStatement open = connection.prepareStatement(
                        "DELETE FROM relay.closed_topic WHERE topic = ANY (?) AND NOT topic = ANY (?)");
                PreparedStatement insert = connection.prepareStatement(
                        "INSERT INTO relay.closed_topic (topic) SELECT unnest(?::text[]) ON CONFLICT DO NOTHING");
                PreparedStatement query =
                        connection.prepareStatement("SELECT topic FROM relay.closed_topic WHERE topic = ANY (?) "
                                + "AND since > clock_timestamp() - ? * interval '1 millisecond'")) {
            open.setArray(1, all);
            open.setArray(2, now);
            open.executeUpdate();
            insert.setArray(1, now);
            insert.executeUpdate();
            query.setArray(1, now);
            query.setLong(2, GRACE.toMillis());
            try (ResultSet rows = query.executeQuery()) {
                Set<String> waited = new TreeSet<>();
                while (rows.next()) {
                    waited.add(rows.getString(1));
                }
                return waited;
            }
        }
    }
}
