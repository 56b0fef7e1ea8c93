package dev.posthaste.consumer.replay;

import java.nio.charset.StandardCharsets;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

/**
 * A query in SQL, on the table of kept records alone: a join would be planned without knowing that it joins one to one.
 * Made for one statement.
 */
final class DeadLetterSql {

    static final String COLUMNS = "d.handler, d.tenant, d.message_id, d.staged_at, d.attempt, d.code, d.last_error,"
            + " d.first_seen_at, o.dead_at, d.record_topic, d.record_partition, d.record_offset, o.emitted_at,"
            + " o.emit_error, o.place";

    private final StringBuilder sql = new StringBuilder("SELECT * FROM inbox.outgoing o WHERE o.route = 'dead-letter'");
    private final List<Object> parameters = new ArrayList<>();

    DeadLetterSql(DeadLetterQuery query) {
        and("o.handler = ?", query.handler());
        and("o.dead_code = ?", query.code());
        and("o.tenant = ?", query.tenant());
        and("o.message_id = ?", query.messageId());
        and("sha256(o.record_key) = sha256(?)", bytes(query.key()));
        and("o.staged_at >= ?", time(query.stagedFrom()));
        and("o.staged_at < ?", time(query.stagedUntil()));
        and("o.dead_at >= ?", time(query.failedFrom()));
        and("o.dead_at < ?", time(query.failedUntil()));
    }

    /** Only those behind that place. */
    DeadLetterSql after(long place) {
        and("o.place > ?", place);
        return this;
    }

    private void and(String condition, @Nullable Object value) {
        if (value != null) {
            sql.append(" AND ").append(condition);
            parameters.add(value);
        }
    }

    private static byte @Nullable [] bytes(@Nullable String text) {
        return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
    }

    private static @Nullable OffsetDateTime time(@Nullable Instant instant) {
        return instant == null ? null : instant.atOffset(ZoneOffset.UTC);
    }

    /** What it finds, the first so many in order of their places, with their deliveries. */
    String select(String columns, String limit) {
        return "SELECT " + columns + " FROM (" + sql + " ORDER BY o.place LIMIT " + limit
                + ") o JOIN inbox.delivery d USING (handler, tenant, message_id, staged_at)";
    }

    /** Binds its parameters; returns the index after them. */
    int bind(PreparedStatement statement, int first) throws SQLException {
        for (int i = 0; i < parameters.size(); i++) {
            statement.setObject(first + i, parameters.get(i));
        }
        return first + parameters.size();
    }

    /** A row of {@link #COLUMNS}. */
    static DeadLetter letter(ResultSet row) throws SQLException {
        return new DeadLetter(
                row.getString(1),
                row.getString(2),
                row.getObject(3, UUID.class),
                required(row, 4),
                row.getInt(5),
                row.getString(6),
                String.valueOf(row.getString(7)),
                required(row, 8),
                required(row, 9),
                row.getString(10),
                row.getInt(11),
                row.getLong(12),
                instant(row, 13),
                row.getString(14),
                row.getLong(15));
    }

    static Instant required(ResultSet row, int column) throws SQLException {
        return row.getObject(column, OffsetDateTime.class).toInstant();
    }

    private static @Nullable Instant instant(ResultSet row, int column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }
}
