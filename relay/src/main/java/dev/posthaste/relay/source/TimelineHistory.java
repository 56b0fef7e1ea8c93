package dev.posthaste.relay.source;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Where each timeline that a server came from ended: up to there its WAL is the same as that of the server that wrote
 * that timeline, beyond it is another's. Immutable.
 *
 * @param ends by the timeline's number
 */
public record TimelineHistory(Map<Long, Lsn> ends) {

    /** Copies the ends. */
    public TimelineHistory {
        ends = Map.copyOf(ends);
    }

    /**
     * Asks the server, in the replication protocol: it takes no right beyond REPLICATION.
     *
     * @param timeline the server's own
     * @throws SQLException if the server does not have it
     */
    public static TimelineHistory read(DatabaseSettings database, long timeline) throws SQLException {
        try (Connection replication = database.connectForReplication("posthaste-timeline");
                Statement statement = replication.createStatement();
                ResultSet file = statement.executeQuery("TIMELINE_HISTORY " + timeline)) {
            file.next();
            return parse(file.getString("content"));
        }
    }

    /**
     * Reads a history file: a line for each timeline with its number, its end and why it ended, behind tabs.
     *
     * @throws IllegalArgumentException if a line is otherwise
     */
    public static TimelineHistory parse(String content) {
        Map<Long, Lsn> ends = new HashMap<>();
        content.lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                .forEach(line -> {
                    String[] fields = line.split("\\s+", 3);
                    if (fields.length < 2 || !fields[0].matches("\\d{1,10}")) {
                        throw new IllegalArgumentException("the timeline history has the line \"" + line
                                + "\", which is no timeline with its end");
                    }
                    ends.put(Long.parseLong(fields[0]), Lsn.parse(fields[1]));
                });
        return new TimelineHistory(ends);
    }

    /** Where that timeline ended; empty if this server did not come from it. */
    public Optional<Lsn> endOf(long timeline) {
        return Optional.ofNullable(ends.get(timeline));
    }
}
