package dev.posthaste.chaos.collect;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.function.Consumer;
import javax.sql.DataSource;

import dev.posthaste.chaos.history.Entry;

/** Reads rows of any number as entries of a history, a page at a time. */
final class Rows {

    private static final int PAGE = 2_000;

    private Rows() {}

    /** Makes an entry of the row that the cursor is on. */
    interface Mapper {
        Entry map(ResultSet row) throws SQLException;
    }

    static void read(DataSource database, String sql, Mapper mapper, Consumer<Entry> action) throws SQLException {
        try (Connection connection = database.getConnection()) {
            connection.setAutoCommit(false); // or the driver fetches all rows at once
            try (Statement statement = connection.createStatement()) {
                statement.setFetchSize(PAGE);
                try (ResultSet rows = statement.executeQuery(sql)) {
                    while (rows.next()) {
                        action.accept(mapper.map(rows));
                    }
                }
            }
        }
    }
}
