package dev.posthaste.producer.example;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.UUID;
import java.util.function.Consumer;
import javax.sql.DataSource;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;

import dev.posthaste.producer.AfterCommit;
import dev.posthaste.producer.Outbox;
import dev.posthaste.schemas.OutboxMessage;

public final class LendingDesk {

    private final DataSource dataSource;
    private final Outbox outbox = Outbox.create();

    public LendingDesk(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    /** The loan and its message are committed together, or not at all. */
    public UUID borrow(String copy, String member) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            execute(connection, "INSERT INTO loan (copy, member) VALUES (?, ?)", copy, member);
            String json = JsonNodeFactory.instance
                    .objectNode()
                    .put("copy", copy)
                    .put("member", member)
                    .toString();
            UUID id = outbox.stage(
                    connection,
                    OutboxMessage.event("library.loan-borrowed", 1).key(copy).json(json));
            connection.commit();
            return id;
        }
    }

    /** The screen by the door can be refreshed by hand: it is left out of the outbox on purpose. */
    public void giveBack(String copy, Consumer<String> screen, Consumer<String> log) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            AfterCommit.run(
                    connection,
                    c -> {
                        execute(c, "DELETE FROM loan WHERE copy = ?", copy);
                        return copy;
                    },
                    returned -> screen.accept(returned + " is on the shelf"),
                    (returned, failure) -> log.accept("screen not refreshed for " + returned + ": " + failure));
        }
    }

    private static void execute(Connection connection, String sql, String... values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                statement.setString(i + 1, values[i]);
            }
            statement.executeUpdate();
        }
    }
}
