package dev.posthaste.consumer;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

import org.flywaydb.core.Flyway;

import dev.posthaste.schemas.Migrations;
import dev.posthaste.testkit.PostgresServer;

/** A new database with an inbox and nothing else. */
final class InboxDatabase {

    final DataSource dataSource;

    InboxDatabase(PostgresServer server) {
        this.dataSource = server.dataSource(server.createDatabase("inbox"));
        Flyway.configure()
                .dataSource(dataSource)
                .locations("classpath:" + Migrations.INBOX)
                .load()
                .migrate();
    }

    /** What is done in one transaction. */
    interface Step<T> {
        T run(Connection connection) throws SQLException;
    }

    <T> T commit(Step<T> step) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            T result = step.run(connection);
            connection.commit();
            return result;
        }
    }

    void execute(String sql) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** The first column of every row. */
    List<String> query(String sql) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<String> column = new ArrayList<>();
            while (rows.next()) {
                column.add(String.valueOf(rows.getString(1)));
            }
            return column;
        }
    }
}
