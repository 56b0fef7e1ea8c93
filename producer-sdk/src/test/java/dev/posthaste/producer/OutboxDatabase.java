package dev.posthaste.producer;

import java.sql.Array;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;

import org.flywaydb.core.Flyway;

import dev.posthaste.schemas.Migrations;
import dev.posthaste.schemas.OutboxMessage;
import dev.posthaste.testkit.PostgresServer;

/** A database of its own with the outbox in it. */
record OutboxDatabase(PostgresServer server, String name) {

    static OutboxDatabase create(PostgresServer server) {
        OutboxDatabase database = new OutboxDatabase(server, server.createDatabase("outbox"));
        Flyway.configure()
                .dataSource(database.dataSource())
                .locations("classpath:" + Migrations.OUTBOX)
                .load()
                .migrate();
        return database;
    }

    static OutboxMessage loan(String json) {
        return OutboxMessage.event("library.loan-borrowed", 1).json(json);
    }

    DataSource dataSource() {
        return server.dataSource(name);
    }

    Connection connect() throws SQLException {
        return server.connect(name);
    }

    /** A connection with an open transaction. */
    Connection begin() throws SQLException {
        Connection connection = connect();
        connection.setAutoCommit(false);
        return connection;
    }

    /** A connection of a new login role that is a member of one of the group roles. */
    Connection connectAsMemberOf(String group) throws SQLException {
        String role = group + "_" + UUID.randomUUID().toString().replace("-", "");
        execute("CREATE ROLE " + role + " LOGIN PASSWORD 'secret' IN ROLE " + group);
        return DriverManager.getConnection(server.jdbcUrl(name), role, "secret");
    }

    void execute(String sql) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** The first column of every row. */
    List<String> query(String sql, Object... parameters) throws SQLException {
        try (Connection connection = connect()) {
            return query(connection, sql, parameters);
        }
    }

    static List<String> query(Connection connection, String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            List<String> column = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    column.add(String.valueOf(rows.getString(1)));
                }
            }
            return column;
        }
    }

    long messages() throws SQLException {
        return Long.parseLong(query("SELECT count(*) FROM outbox.message").get(0));
    }

    /** Stages one message in a transaction of its own. */
    UUID stageCommitted() throws SQLException {
        try (Connection connection = begin()) {
            UUID id = Outbox.create().stage(connection, loan("{}"));
            connection.commit();
            return id;
        }
    }

    /** Writes the evidence of a batch, as the relay does. */
    void dispatch(long batch, Collection<UUID> ids) throws SQLException {
        dispatch("test", batch, ids);
    }

    void dispatch(String slot, long batch, Collection<UUID> ids) throws SQLException {
        try (Connection connection = connect();
                PreparedStatement insert = connection.prepareStatement("""
                        INSERT INTO outbox.dispatch_batch
                            (slot, batch, attempt, fence, position, catalog_version, staged, message_ids)
                        SELECT ?, ?, 1, 1, '0/1', 'v', tstzrange(min(created_at), max(created_at), '[]'), ?
                        FROM outbox.message WHERE id = ANY (?)""")) {
            Array array = connection.createArrayOf("uuid", ids.toArray());
            insert.setString(1, slot);
            insert.setLong(2, batch);
            insert.setArray(3, array);
            insert.setArray(4, array);
            insert.executeUpdate();
        }
    }
}
