package dev.posthaste.chaos.collect;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;

import dev.posthaste.chaos.history.Entry;
import dev.posthaste.chaos.history.HistoryWriter;

/**
 * Reads everything that a run has left in tables and on topics into its history. It holds no more than a page in
 * memory, so that a run may be of any length. Thread-safe.
 */
public final class Collector {

    private static final Duration SILENCE_MAX = Duration.ofSeconds(30);

    private final RunSources sources;

    /** Reads from there. */
    public Collector(RunSources sources) {
        this.sources = sources;
    }

    /**
     * Reads all of it: stored messages, evidence, quarantine, topics and their dead letters, deliveries, effects.
     *
     * @throws SQLException when a table cannot be read
     * @throws IllegalStateException when a topic is silent for 30 s before its end
     */
    public void collect(HistoryWriter history) throws SQLException {
        collectOutbox(history);
        collectTopics(history);
        collectInbox(history);
    }

    /**
     * Reads what is in the database with the outbox.
     *
     * @throws SQLException when a table cannot be read
     */
    public void collectOutbox(HistoryWriter history) throws SQLException {
        Rows.read(
                sources.outbox(),
                "SELECT id FROM outbox.message",
                row -> new Entry.Stored(row.getObject(1, UUID.class)),
                history::write);
        Rows.read(
                sources.outbox(),
                "SELECT batch, fence, completed_at, message_ids FROM outbox.dispatch_batch ORDER BY batch",
                Collector::batch,
                history::write);
        Rows.read(
                sources.outbox(),
                "SELECT message_id, handler, state, cause FROM outbox.quarantined",
                row -> new Entry.Quarantined(
                        row.getObject(1, UUID.class), row.getString(2), row.getString(3), row.getString(4)),
                history::write);
    }

    private static Entry.Batch batch(ResultSet row) throws SQLException {
        List<UUID> ids = Arrays.asList((UUID[]) row.getArray(4).getArray());
        return new Entry.Batch(
                row.getLong(1),
                row.getLong(2),
                row.getObject(3, OffsetDateTime.class).toInstant(),
                ids);
    }

    /**
     * Reads what is committed on the handlers' topics.
     *
     * @throws IllegalStateException when a topic is silent for 30 s before its end
     */
    public void collectTopics(HistoryWriter history) {
        try (TopicReader reader = new TopicReader(sources.bootstrapServers(), SILENCE_MAX)) {
            for (String handler : sources.handlers()) {
                reader.read(
                        reader.beginnings(sources.namespace().topic(handler)),
                        record -> history.write(Records.published(handler, record)));
                reader.read(
                        reader.beginnings(sources.namespace().deadLetterTopic(handler)),
                        record -> history.write(Records.deadLetter(handler, record)));
            }
        }
    }

    /**
     * Reads what is in the database with the inbox.
     *
     * @throws SQLException when a table cannot be read
     */
    public void collectInbox(HistoryWriter history) throws SQLException {
        Rows.read(
                sources.inbox(),
                "SELECT handler, message_id, state, attempt FROM inbox.delivery",
                row -> new Entry.Delivery(
                        row.getString(1), row.getObject(2, UUID.class), row.getString(3), row.getInt(4)),
                history::write);
        Rows.read(
                sources.inbox(),
                "SELECT handler, id, key, number, place, at FROM chaos.effect ORDER BY place",
                row -> new Entry.Effect(
                        row.getString(1),
                        row.getObject(2, UUID.class),
                        row.getString(3),
                        row.getLong(4),
                        row.getLong(5),
                        row.getObject(6, OffsetDateTime.class).toInstant()),
                history::write);
    }
}
