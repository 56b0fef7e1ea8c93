package dev.posthaste.relay;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.UUID;

import dev.posthaste.relay.publishing.TopicTail;
import dev.posthaste.relay.source.OutboxRow;
import dev.posthaste.relay.source.OutboxTable;

/**
 * The messages of one snapshot that are neither proved nor on any topic. Evidence trails the topics by what a leader
 * had in hand when it died, or, in a database restored from a backup, by all that was published since: so the topics
 * are read from the last evidence on. Uses one connection, inside one transaction; not thread-safe.
 */
final class Unpublished {

    /**
     * Records' timestamps are of the relay's clock, evidence of the database's; and a batch is on the topics before it
     * is proved.
     */
    private static final Duration MARGIN = Duration.ofMinutes(10);

    private static final int FETCH_ROWS = 500;

    private final Connection snapshot;

    Unpublished(Connection snapshot) {
        this.snapshot = snapshot;
    }

    /**
     * Reads the ids that are on the topics since the last evidence; to be called first.
     *
     * @param evidenceWasLost whether evidence of whatever batch may be missing: then they are read from the time on
     *     when the oldest message without evidence was staged
     */
    void readTopics(TopicTail tail, Collection<String> topics, boolean evidenceWasLost) throws SQLException {
        try (Statement make = snapshot.createStatement()) {
            make.execute(
                    "CREATE TEMPORARY TABLE on_topic (id uuid, staged_at timestamptz, PRIMARY KEY (id, staged_at)) ON COMMIT DROP");
        }
        Instant since = evidenceWasLost
                ? first("SELECT oldest_created_at FROM outbox.pending_summary()")
                : first("SELECT max(completed_at) FROM outbox.dispatch_batch");
        try (PreparedStatement insert = snapshot.prepareStatement(
                "INSERT INTO on_topic SELECT * FROM unnest(?::uuid[], ?::text[]::timestamptz[]) ON CONFLICT DO NOTHING")) {
            tail.read(topics, since.minus(MARGIN), messages -> {
                insert.setArray(
                        1,
                        snapshot.createArrayOf(
                                "uuid",
                                messages.stream().map(TopicTail.Seen::id).toArray()));
                insert.setArray(
                        2,
                        snapshot.createArrayOf(
                                "text",
                                messages.stream()
                                        .map(seen -> seen.stagedAt().toString())
                                        .toArray()));
                insert.executeUpdate();
            });
        }
    }

    private Instant first(String time) throws SQLException {
        try (PreparedStatement query = snapshot.prepareStatement(time);
                ResultSet row = query.executeQuery()) {
            row.next();
            OffsetDateTime found = row.getObject(1, OffsetDateTime.class);
            return found == null ? Instant.EPOCH.plus(MARGIN) : found.toInstant();
        }
    }

    /** How many there are. */
    long count() throws SQLException {
        try (PreparedStatement query = snapshot.prepareStatement(
                        "SELECT count(*) FROM outbox.pending() p WHERE NOT EXISTS (SELECT FROM on_topic t WHERE t.id = p.id AND t.staged_at = p.created_at)");
                ResultSet row = query.executeQuery()) {
            row.next();
            return row.getLong(1);
        }
    }

    /** Takes messages. */
    @FunctionalInterface
    interface Rows {
        void take(List<OutboxRow> rows) throws Exception;
    }

    /** The messages on the topics that lack evidence. */
    void unproved(Rows rows) throws Exception {
        forEach("WHERE EXISTS (SELECT FROM on_topic t WHERE t.id = p.id AND t.staged_at = p.created_at)", rows);
    }

    /** The messages that are on no topic, by the age of their transactions: the table knows no commit order. */
    void missing(Rows rows) throws Exception {
        forEach("WHERE NOT EXISTS (SELECT FROM on_topic t WHERE t.id = p.id AND t.staged_at = p.created_at)", rows);
    }

    private void forEach(String which, Rows rows) throws Exception {
        try (PreparedStatement query =
                snapshot.prepareStatement("SELECT m.id, m.created_at, m." + OutboxTable.COLUMNS.replace(", ", ", m.")
                        + " FROM outbox.pending() p JOIN outbox.message m ON m.id = p.id AND m.created_at = p.created_at "
                        + which
                        + " ORDER BY p.staged_xid, m.created_at, m.id")) {
            query.setFetchSize(FETCH_ROWS);
            try (ResultSet result = query.executeQuery()) {
                List<OutboxRow> page = new ArrayList<>();
                while (result.next()) {
                    page.add(OutboxTable.read(
                            result,
                            result.getObject(1, UUID.class),
                            result.getObject(2, OffsetDateTime.class).toInstant(),
                            2));
                    if (page.size() == FETCH_ROWS) {
                        rows.take(List.copyOf(page));
                        page.clear();
                    }
                }
                if (!page.isEmpty()) {
                    rows.take(List.copyOf(page));
                }
            }
        }
    }
}
