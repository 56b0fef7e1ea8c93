package dev.posthaste.relay.doctor;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

import org.jspecify.annotations.Nullable;

/** Small readings of one value or one column. As thread-safe as its connection. */
final class Query {

    private final Connection connection;

    Query(Connection connection) {
        this.connection = connection;
    }

    /** The first column of the first row; null: no row, or NULL. */
    @Nullable
    String text(String sql, Object... parameters) throws SQLException {
        List<String> column = column(sql, parameters);
        return column.isEmpty() ? null : column.get(0);
    }

    boolean isTrue(String sql, Object... parameters) throws SQLException {
        return "t".equals(text(sql, parameters)) || "true".equals(text(sql, parameters));
    }

    List<String> column(String sql, Object... parameters) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                query.setObject(i + 1, parameters[i]);
            }
            try (ResultSet rows = query.executeQuery()) {
                List<String> values = new ArrayList<>();
                while (rows.next()) {
                    values.add(rows.getString(1));
                }
                return values;
            }
        }
    }

    String setting(String name) throws SQLException {
        String value = text("SELECT current_setting(?)", name);
        return value == null ? "" : value;
    }
}
