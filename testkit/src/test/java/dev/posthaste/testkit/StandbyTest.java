package dev.posthaste.testkit;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/** Standbys, promotion, and data put back from an older copy. */
class StandbyTest {

    private static EmbeddedPostgres primary;

    @BeforeAll
    static void launch() {
        primary = EmbeddedPostgres.launch();
    }

    @AfterAll
    static void close() {
        primary.close();
    }

    @Test
    void aStandbyFollowsAndIsPromotedOntoANewTimelineAndLeavesNothing() throws Exception {
        run(primary, "CREATE TABLE followed (n int)");
        List<Path> before = Leftovers.ofThisJvm();
        try (EmbeddedPostgres standby = primary.launchStandby("follower")) {
            assertThat(ask(standby, "SELECT pg_is_in_recovery()")).isEqualTo("t");
            run(primary, "INSERT INTO followed VALUES (42)");
            await().until(() -> ask(standby, "SELECT max(n) FROM followed").equals("42"));
            assertThatThrownBy(() -> run(standby, "INSERT INTO followed VALUES (43)"))
                    .hasMessageContaining("read-only");

            standby.promote();

            run(standby, "INSERT INTO followed VALUES (44)");
            assertThat(timeline(standby)).isEqualTo("00000002");
            assertThat(timeline(primary)).isEqualTo("00000001");
            assertThat(ask(standby, "SELECT system_identifier FROM pg_control_system()"))
                    .isEqualTo(ask(primary, "SELECT system_identifier FROM pg_control_system()"));
        }
        run(primary, "SELECT pg_drop_replication_slot('follower')");
        assertThat(Leftovers.ofThisJvm()).containsExactlyInAnyOrderElementsOf(before);
    }

    @Test
    void aFailoverSlotIsSyncedToTheStandby() throws SQLException {
        run(primary, "SELECT pg_create_logical_replication_slot('synced', 'pgoutput', failover => true)");
        try (EmbeddedPostgres standby = primary.launchStandby("syncing")) {
            await().ignoreExceptions()
                    .until(
                            () -> { // it fails while the standby is behind the slot
                                run(primary, "SELECT pg_log_standby_snapshot()");
                                run(primary, "SELECT pg_replication_slot_advance('synced', pg_current_wal_lsn())");
                                run(standby, "SELECT pg_sync_replication_slots()");
                                return ask(
                                                standby,
                                                "SELECT count(*) FROM pg_replication_slots WHERE synced AND NOT temporary")
                                        .equals("1");
                            });
        }
        run(primary, "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots");
    }

    @Test
    void dataPutBackIsAsItWasWhenItWasCopied() throws SQLException {
        run(primary, "CREATE TABLE restored AS SELECT 1 AS n");
        primary.stop(StopMode.FAST);
        Path backup = primary.backUp();
        primary.start();
        assertThatThrownBy(primary::backUp)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("stop it first");
        run(primary, "INSERT INTO restored VALUES (2)");

        primary.stop(StopMode.FAST);
        primary.restore(backup);
        primary.start();

        assertThat(ask(primary, "SELECT string_agg(n::text, ',') FROM restored"))
                .isEqualTo("1");
    }

    private static String timeline(EmbeddedPostgres server) throws SQLException {
        return ask(server, "SELECT substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)");
    }

    private static String ask(EmbeddedPostgres server, String sql) throws SQLException {
        try (Connection connection = server.connect("postgres");
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            assertThat(result.next()).as(sql).isTrue();
            return String.valueOf(result.getString(1));
        }
    }

    private static void run(EmbeddedPostgres server, String sql) throws SQLException {
        try (Connection connection = server.connect("postgres");
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
