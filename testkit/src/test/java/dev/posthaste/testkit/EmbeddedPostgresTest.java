package dev.posthaste.testkit;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

class EmbeddedPostgresTest {

    private static EmbeddedPostgres postgres;

    @BeforeAll
    static void launch() {
        postgres = EmbeddedPostgres.launch(ServerSettings.defaults().withOptions(Map.of("wal_sender_timeout", "7s")));
    }

    @AfterAll
    static void close() {
        postgres.close();
    }

    @Test
    void commitsAreDurableAndTheWalIsLogical() throws SQLException {
        assertThat(ask("SHOW fsync")).isEqualTo("on");
        assertThat(ask("SHOW synchronous_commit")).isEqualTo("on");
        assertThat(ask("SHOW full_page_writes")).isEqualTo("on");
        assertThat(ask("SHOW wal_level")).isEqualTo("logical");
        assertThat(ask("SHOW server_version_num")).startsWith("18");
        assertThat(ask("SHOW server_encoding")).isEqualTo("UTF8");
    }

    @Test
    void furtherOptionsAreInForceAndAlterSystemWinsOverThem() throws SQLException {
        assertThat(ask("SHOW wal_sender_timeout")).isEqualTo("7s");

        run("ALTER SYSTEM SET wal_sender_timeout = '9s'");
        postgres.stop(StopMode.FAST);
        postgres.start();

        assertThat(ask("SHOW wal_sender_timeout")).isEqualTo("9s");
    }

    @Test
    void aLogicalSlotWithPgoutputCanBeMade() throws SQLException {
        assertThat(ask("SELECT slot_name FROM pg_create_logical_replication_slot('made', 'pgoutput')"))
                .isEqualTo("made");
        assertThat(ask("SELECT plugin FROM pg_replication_slots WHERE slot_name = 'made'"))
                .isEqualTo("pgoutput");
        run("SELECT pg_drop_replication_slot('made')");
    }

    @Test
    void whatWasCommittedSurvivesAnImmediateStop() throws SQLException {
        run("CREATE TABLE kept_by_stop AS SELECT 42 AS answer");
        int port = postgres.port();

        postgres.stop(StopMode.IMMEDIATE);
        assertThat(postgres.isRunning()).isFalse();
        assertThatThrownBy(() -> ask("SELECT 1")).isInstanceOf(SQLException.class);
        postgres.start();

        assertThat(postgres.port()).isEqualTo(port);
        assertThat(ask("SELECT answer FROM kept_by_stop")).isEqualTo("42");
    }

    @Test
    void whatWasCommittedSurvivesAKillWithClientsConnected() throws SQLException {
        run("CREATE TABLE kept_by_kill AS SELECT 43 AS answer");
        ProcessHandle killed = ProcessHandle.of(postgres.pid()).orElseThrow();
        try (Connection connection = postgres.connect("postgres");
                Statement statement = connection.createStatement()) {
            assertThat(killed.children()).isNotEmpty();

            postgres.killHard();

            assertThatThrownBy(() -> statement.execute("SELECT 1")).isInstanceOf(SQLException.class);
        }
        assertThat(killed.isAlive()).isFalse();
        postgres.start();

        assertThat(ask("SELECT answer FROM kept_by_kill")).isEqualTo("43");
    }

    @Test
    void aServerThatRunsIsNotStartedTwice() {
        assertThatThrownBy(postgres::start)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("runs already");
    }

    @Test
    void aStartWithoutFsyncIsRefused() throws SQLException {
        try (EmbeddedPostgres lax = EmbeddedPostgres.launch()) {
            try (Connection connection = lax.connect("postgres");
                    Statement statement = connection.createStatement()) {
                statement.execute("ALTER SYSTEM SET fsync = off");
            }
            lax.stop(StopMode.FAST);

            assertThatThrownBy(lax::start)
                    .isInstanceOf(TestkitException.class)
                    .hasMessageContaining("fsync=off, not on");
        }
    }

    @Test
    void anOptionAgainstThePromiseIsRefused() {
        ServerSettings lax = ServerSettings.defaults().withOptions(Map.of("fsync", "off"));

        assertThatThrownBy(() -> EmbeddedPostgres.launch(lax)).hasMessageContaining("promises fsync=on");
    }

    @Test
    void aServerThatCannotStartSaysWhyAndLeavesNothing() throws Exception {
        List<Path> before = Leftovers.ofThisJvm();
        ServerSettings unknown = ServerSettings.defaults().withOptions(Map.of("no_such_option", "1"));

        assertThatThrownBy(() -> EmbeddedPostgres.launch(unknown))
                .isInstanceOf(TestkitException.class)
                .hasMessageContaining("no_such_option");
        assertThat(Leftovers.ofThisJvm()).containsExactlyInAnyOrderElementsOf(before);
    }

    @Test
    void everyDatabaseIsFresh() throws SQLException {
        String first = postgres.createDatabase("fresh");
        String second = postgres.createDatabase("fresh");

        assertThat(first).startsWith("fresh_").isNotEqualTo(second);
        try (Connection connection = postgres.connect(second)) {
            assertThat(connection.getCatalog()).isEqualTo(second);
        }
        assertThatThrownBy(() -> postgres.createDatabase("x; DROP"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'x; DROP'");
    }

    @Test
    void aDirectoryThatIsKeptHasItsDataAtTheNextLaunch(@TempDir Path directory) throws Exception {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        ServerSettings kept = ServerSettings.defaults().withDirectory(directory.resolve("kept"));
        String database;
        try (EmbeddedPostgres first = EmbeddedPostgres.launch(kept)) {
            database = first.createDatabase("kept");
        }

        try (EmbeddedPostgres second = EmbeddedPostgres.launch(kept);
                Connection connection = second.connect(database)) {
            assertThat(connection.getCatalog()).isEqualTo(database);
        }
    }

    @Test
    void closeLeavesNoProcessAndNoDirectory() throws Exception {
        List<Path> before = Leftovers.ofThisJvm();
        long childrenBefore = ProcessHandle.current().children().count();
        EmbeddedPostgres closing = EmbeddedPostgres.launch();
        ProcessHandle process = ProcessHandle.of(closing.pid()).orElseThrow();
        assertThat(Leftovers.ofThisJvm()).contains(closing.directory());

        closing.close();
        closing.close();

        assertThat(process.isAlive()).isFalse();
        await().until(() -> ProcessHandle.current().children().count() == childrenBefore);
        assertThat(Leftovers.ofThisJvm()).containsExactlyInAnyOrderElementsOf(before);
        assertThatThrownBy(closing::start)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("is closed");
    }

    private static String ask(String sql) throws SQLException {
        try (Connection connection = postgres.connect("postgres");
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            assertThat(result.next()).as(sql).isTrue();
            return result.getString(1);
        }
    }

    private static void run(String sql) throws SQLException {
        try (Connection connection = postgres.connect("postgres");
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
