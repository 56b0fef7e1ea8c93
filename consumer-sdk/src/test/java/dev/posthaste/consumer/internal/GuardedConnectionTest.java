package dev.posthaste.consumer.internal;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;

import dev.posthaste.testkit.PostgresServer;
import dev.posthaste.testkit.PosthasteStack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

@PosthasteStack
class GuardedConnectionTest {

    private Connection real;
    private Connection guarded;
    private GuardedConnection guard;

    @BeforeEach
    void connect(PostgresServer server) throws SQLException {
        real = server.connect("postgres");
        real.setAutoCommit(false);
        guard = new GuardedConnection(real);
        guarded = guard.connection();
    }

    @AfterEach
    void close() throws SQLException {
        real.close();
    }

    @Test
    void whatEndsTheTransactionIsRefusedWithTheReason() {
        assertThatThrownBy(() -> guarded.commit())
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("Connection.commit is refused inside a handler")
                .hasMessageContaining("Throw an exception to roll back");
        assertThatThrownBy(() -> guarded.rollback()).hasMessageContaining("Connection.rollback");
        assertThatThrownBy(() -> guarded.setAutoCommit(true)).hasMessageContaining("setAutoCommit");
        assertThatThrownBy(() -> guarded.close()).hasMessageContaining("close");
        assertThatThrownBy(() -> guarded.abort(Runnable::run)).hasMessageContaining("abort");
        assertThatCode(() -> assertThat(guarded.isClosed()).isFalse()).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "COMMIT",
                " commit;",
                "\n\tEnd",
                "ROLLBACK",
                "rollback work",
                "rollback and chain",
                "ABORT",
                "PREPARE   TRANSACTION 'x'",
                "commit and chain",
                "/* x */ COMMIT",
                "/* /* nested */ still a comment */ COMMIT",
                "-- c\nCOMMIT",
                "--\r\n--\nCOMMIT",
                "SELECT 1; COMMIT",
                "SELECT 1; COMMIT; BEGIN",
                "SELECT 1;; /* ; */ ROLLBACK",
                "SELECT 'it''s'; COMMIT",
                "SELECT E'a\\\\'; COMMIT",
                "SELECT \"a;b\"; COMMIT",
                "SELECT $$;$$; COMMIT",
                "SELECT $a$ $$ ; $a$; END",
                "SELECT $1; COMMIT",
                "ROLLBACK TO a; ROLLBACK",
                "CREATE TABLE a (b int); COMMIT",
                "COMMIT/* x */"
            })
    void statementsThatEndTheTransactionAreRefused(String sql) throws SQLException {
        assertThatThrownBy(() -> guarded.prepareStatement(sql)).hasMessageContaining("ends the transaction");
        try (Statement statement = guarded.createStatement()) {
            assertThatThrownBy(() -> statement.execute(sql)).hasMessageContaining("ends the transaction");
            assertThatThrownBy(() -> statement.addBatch(sql)).hasMessageContaining("ends the transaction");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT 'COMMIT'",
                "SELECT '; COMMIT'",
                "SELECT E'a\\'; COMMIT'",
                "SELECT 1 AS \"; COMMIT\"",
                "SELECT $$; COMMIT; $$",
                "SELECT $a$ $b$; COMMIT $a$",
                "SELECT 1 -- ; COMMIT",
                "SELECT 1 /* ; /* ; COMMIT */ ; COMMIT */",
                "SELECT CASE WHEN true THEN 1 END; SELECT CASE WHEN true THEN 1 END;",
                "DO $$ BEGIN PERFORM 1; END $$",
                "CREATE FUNCTION pg_temp.f() RETURNS int BEGIN ATOMIC SELECT CASE WHEN true THEN 1 END; SELECT 2; END",
                "SAVEPOINT s; ROLLBACK TO SAVEPOINT s; RELEASE s",
                "PREPARE p AS SELECT 1; DEALLOCATE p"
            })
    void statementsThatOnlySpeakOfItGoThrough(String sql) throws SQLException {
        try (Statement statement = guarded.createStatement()) {
            assertThatCode(() -> statement.execute(sql)).doesNotThrowAnyException();
        }
    }

    @Test
    void aSavepointMayHaveAnyName() {
        assertThatCode(() -> guarded.releaseSavepoint(guarded.setSavepoint("end")))
                .doesNotThrowAnyException();
    }

    @Test
    void savepointsWork() throws SQLException {
        try (Statement statement = guarded.createStatement()) {
            statement.execute("CREATE TEMP TABLE t (i int) ON COMMIT DROP");
            Savepoint savepoint = guarded.setSavepoint("a");
            statement.execute("INSERT INTO t VALUES (1)");
            guarded.rollback(savepoint);
            statement.execute("SAVEPOINT b");
            statement.execute("INSERT INTO t VALUES (2)");
            statement.execute("ROLLBACK TO b");
            statement.execute("rollback work to savepoint b");
            statement.execute("SELECT commitments FROM (SELECT 'end' AS commitments) e");
            var rows = statement.executeQuery("SELECT count(*) FROM t");
            rows.next();
            assertThat(rows.getInt(1)).isZero();
        }
    }

    @Test
    void theWayBackFromAStatementIsGuardedToo() throws SQLException {
        try (PreparedStatement statement = guarded.prepareStatement("SELECT 1")) {
            assertThat(statement.getConnection()).isSameAs(guarded);
        }
        assertThat(guarded.unwrap(Connection.class)).isSameAs(guarded);
        assertThat(guarded.unwrap(PGConnection.class).getBackendPID()).isPositive();
        assertThat(guarded).isNotEqualTo(real).hasToString("posthaste's guard of a Connection");
    }

    @Test
    void theDriversErrorsComeThroughAsTheyAre() throws SQLException {
        try (Statement statement = guarded.createStatement()) {
            assertThatThrownBy(() -> statement.execute("SELECT nothing FROM nowhere"))
                    .isInstanceOf(SQLException.class)
                    .extracting(e -> ((SQLException) e).getSQLState())
                    .isEqualTo("42P01");
        }
    }

    @Test
    void afterTheHandlerItRefusesEverything() {
        guard.end();
        assertThatThrownBy(() -> guarded.prepareStatement("SELECT 1"))
                .hasMessageContaining("after the handler had returned");
    }
}
