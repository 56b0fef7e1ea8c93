package dev.posthaste.consumer.inbox;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.ZoneOffset;
import java.util.List;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/** Binds what names deliveries: one, or several as arrays, so that one statement serves any number of them. */
final class SqlArrays {

    private SqlArrays() {}

    /** The four columns that name one; returns the index after them. */
    static int bindId(PreparedStatement statement, int first, String handler, DeliveryId id) throws SQLException {
        statement.setString(first, handler);
        statement.setString(first + 1, id.tenant());
        statement.setObject(first + 2, id.messageId());
        statement.setObject(first + 3, id.stagedAt().atOffset(ZoneOffset.UTC));
        return first + 4;
    }

    /** The three columns that name deliveries; returns the index after them. */
    static <T> int bindIds(PreparedStatement statement, int first, List<T> rows, Function<T, DeliveryId> id)
            throws SQLException {
        Connection connection = statement.getConnection();
        statement.setArray(
                first, of(connection, "text", rows, row -> id.apply(row).tenant()));
        statement.setArray(
                first + 1, of(connection, "uuid", rows, row -> id.apply(row).messageId()));
        statement.setArray(first + 2, of(connection, "timestamptz", rows, row -> id.apply(row)
                .stagedAt()
                .toString()));
        return first + 3;
    }

    static <T> Array of(Connection connection, String type, List<T> rows, Function<T, @Nullable Object> column)
            throws SQLException {
        return connection.createArrayOf(type, rows.stream().map(column).toArray());
    }

    /** Of byte strings, any of them null. */
    static <T> Array ofBytes(Connection connection, List<T> rows, Function<T, byte @Nullable []> column)
            throws SQLException {
        return connection.createArrayOf("bytea", rows.stream().map(column).toArray(byte[][]::new));
    }
}
