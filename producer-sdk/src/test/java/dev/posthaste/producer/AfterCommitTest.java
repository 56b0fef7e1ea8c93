package dev.posthaste.producer;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import dev.posthaste.testkit.PostgresServer;
import dev.posthaste.testkit.PosthasteStack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

@PosthasteStack
class AfterCommitTest {

    private static OutboxDatabase database;

    private final List<String> reactions = new ArrayList<>();

    @BeforeAll
    static void migrate(PostgresServer server) throws SQLException {
        database = OutboxDatabase.create(server);
        database.execute("CREATE TABLE shelf (id int PRIMARY KEY DEFERRABLE INITIALLY DEFERRED)");
    }

    @BeforeEach
    void emptyShelf() throws SQLException {
        database.execute("TRUNCATE shelf");
    }

    private static int insert(Connection connection, int id) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("INSERT INTO shelf VALUES (" + id + ")");
        }
        return id;
    }

    private static List<String> shelf() throws SQLException {
        return database.query("SELECT id FROM shelf ORDER BY id");
    }

    private void react(Integer result) throws SQLException {
        reactions.add("saw " + result + " of " + shelf());
    }

    @Test
    void excludedReactionRunsAfterCommitNeverAfterRollbackAndLeavesNoRow() throws SQLException {
        try (Connection connection = database.begin()) {
            AfterCommit.run(connection, c -> insert(c, 1), this::react, (result, failure) -> fail(failure));
            assertThatThrownBy(() -> AfterCommit.run(
                            connection,
                            c -> {
                                insert(c, 2);
                                throw new IOException("no more shelves");
                            },
                            ignored -> reactions.add("after a rollback"),
                            (result, failure) -> fail(failure)))
                    .isInstanceOf(IOException.class);
        }
        assertThat(reactions).as("once, when others could see the change").containsExactly("saw 1 of [1]");
        assertThat(shelf()).containsExactly("1");
        assertThat(database.messages()).isZero();
    }

    @Test
    void aFailedCommitIsRolledBackAndTheReactionDoesNotRun() throws SQLException {
        try (Connection connection = database.begin()) {
            assertThatThrownBy(() -> AfterCommit.run(
                            connection,
                            c -> insert(c, 5) + insert(c, 5), // deferred: the commit finds it
                            this::react,
                            (result, failure) -> fail(failure)))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("shelf_pkey");
            assertThat(OutboxDatabase.query(connection, "SELECT 1")).hasSize(1);
        }
        assertThat(reactions).isEmpty();
        assertThat(shelf()).isEmpty();
    }

    @Test
    void aSwallowedSqlErrorIsARollbackToo() throws SQLException {
        try (Connection connection = database.begin()) {
            assertThatThrownBy(() -> AfterCommit.run(
                            connection,
                            c -> {
                                insert(c, 6);
                                try (Statement statement = c.createStatement()) {
                                    statement.execute("SELECT no_such_column FROM shelf");
                                } catch (SQLException swallowed) {
                                    reactions.add("swallowed");
                                }
                                return 6;
                            },
                            this::react,
                            (result, failure) -> fail(failure)))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("current transaction is aborted");
        }
        assertThat(reactions).containsExactly("swallowed");
        assertThat(shelf()).isEmpty();
    }

    @Test
    void aFailedReactionGoesToOnFailureAndTheChangeStays() throws SQLException {
        try (Connection connection = database.begin()) {
            Integer result = AfterCommit.run(
                    connection,
                    c -> insert(c, 7),
                    ignored -> {
                        throw new IOException("cache is away");
                    },
                    (of, failure) -> reactions.add(of + ": " + failure.getMessage()));
            assertThat(result).isEqualTo(7);
        }
        assertThat(reactions).containsExactly("7: cache is away");
        assertThat(shelf()).containsExactly("7");
    }

    @Test
    void nothingIsThrownOnceCommitted() throws SQLException {
        try (Connection connection = database.begin()) {
            Integer result = AfterCommit.run(
                    connection,
                    c -> insert(c, 8),
                    ignored -> {
                        throw new IOException("cache is away");
                    },
                    (of, failure) -> {
                        throw new IllegalStateException("and so is the pager");
                    });
            assertThat(result).isEqualTo(8);
        }
        assertThat(shelf()).containsExactly("8");
    }

    @Test
    void autoCommitIsRefusedBeforeAnythingRuns() throws SQLException {
        try (Connection connection = database.connect()) {
            assertThatThrownBy(() -> AfterCommit.run(
                            connection, c -> insert(c, 9), this::react, (result, failure) -> fail(failure)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("AfterCommit.run");
        }
        assertThat(shelf()).isEmpty();
    }
}
