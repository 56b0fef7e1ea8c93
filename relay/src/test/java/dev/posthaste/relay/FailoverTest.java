package dev.posthaste.relay;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.posthaste.relay.source.DatabaseSettings;
import dev.posthaste.relay.source.Lsn;
import dev.posthaste.testkit.EmbeddedPostgres;
import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.ReportedCase;
import dev.posthaste.testkit.Stack;
import dev.posthaste.testkit.StopMode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/**
 * A primary that dies and a standby that is promoted in its place. The relay runs as a role with LOGIN and REPLICATION,
 * on servers that refuse it every physical replication connection.
 */
@PosthasteStack
class FailoverTest {

    private static final String STANDBY = "standby_1";

    private final List<String> said = new ArrayList<>();
    private final Stack stack;
    private EmbeddedPostgres primary;
    private EmbeddedPostgres standby;
    private Outbox before;
    private Outbox after;

    FailoverTest(Stack stack) {
        this.stack = stack;
    }

    @BeforeEach
    void primaryAndStandby(@TempDir Path directory) throws Exception {
        primary = EmbeddedPostgres.launch();
        before = Outbox.initialised(new OwnStack(primary, stack.kafka()), directory);
        before.sql("CREATE ROLE relay LOGIN REPLICATION PASSWORD 'relay' IN ROLE posthaste_relay");
        Path access = primary.data().resolve("pg_hba.conf");
        Files.writeString(access, "host replication relay 127.0.0.1/32 reject\n" + Files.readString(access));
        before.sql("SELECT pg_reload_conf()");
        standby = primary.launchStandby(STANDBY);
        after = before.on(new OwnStack(standby, stack.kafka()));
    }

    @AfterEach
    void close() {
        standby.close();
        primary.close();
    }

    @Test
    @ReportedCase(19)
    void aPromotedStandbyWithASyncedSlotLosesNothing() throws Exception {
        before.sql("ALTER SYSTEM SET synchronized_standby_slots = '" + STANDBY + "'");
        before.sql("SELECT pg_reload_conf()");
        try (RunningRelay relay = RunningRelay.start(asRelay(before)).awaitStreaming()) {
            before.insert(20, "copy-1");
            before.awaitDispatched();
            syncSlot();
            before.insert(20, "copy-1");
            before.awaitDispatched();
        }
        before.insert(20, "copy-1"); // committed, and not published when the primary dies
        failOver();
        after.insert(20, "copy-1");
        Lsn ack = after.position().ack();

        try (RunningRelay relay = RunningRelay.start(asRelay(after)).awaitStreaming()) {
            after.awaitDispatched();
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> ack.isBefore(after.position().ack()));
        }

        assertThat(after.position().source().timeline()).isEqualTo(2);
        assertThat(after.ids()).hasSize(80);
        assertThat(after.idsOn("due-notice")).isEqualTo(after.ids());
        after.assertEachMessageIsPublishedOnceAndProvedOnce();
        try (RunningRelay relay = RunningRelay.start(asRelay(after)).awaitStreaming()) {
            after.insert(1, "copy-1");
            after.awaitDispatched();
        }
    }

    @Test
    @ReportedCase(19)
    void aPromotedStandbyWithoutTheSlotHaltsAndIsRepaired() throws Exception {
        try (RunningRelay relay = RunningRelay.start(asRelay(before)).awaitStreaming()) {
            before.insert(20, "copy-1");
            before.awaitDispatched();
        }
        before.insert(20, "copy-2");
        failOver();
        after.insert(20, "copy-3");

        try (RunningRelay relay = RunningRelay.start(asRelay(after))) {
            assertThat(relay.awaitHalted().cause()).isEqualTo(HaltReason.Cause.SLOT_MISSING);
            assertThat(Repairs.of(asRelay(after), after, said, null).run(false, Duration.ofSeconds(20)))
                    .isTrue();
            after.insert(20, "copy-4");
            after.awaitDispatched();
        }

        assertThat(after.ids()).hasSize(80);
        after.assertEachMessageIsPublishedOnceAndProvedOnce();
    }

    @Test
    @ReportedCase(42)
    void aPromotedStandbyThatLacksWhatWasPublishedHaltsAndIsRebasedAndNothingIsSwallowed() throws Exception {
        try (RunningRelay relay = RunningRelay.start(asRelay(before)).awaitStreaming()) {
            before.insert(5, "copy-1");
            before.awaitDispatched();
            syncSlot();
            awaitReplayed();
            standby.stop(StopMode.FAST);
            before.sql("CREATE TABLE other_business AS SELECT repeat('x', 1000) FROM generate_series(1, 5000)");
            before.insert(1, "lost");
            before.insert(4, "lost");
            before.awaitDispatched();
        }
        primary.killHard();
        standby.start();
        standby.promote();
        after.insert(3, "below the old position");
        assertThat(walEnd(after).isBefore(after.position().lastCommit())).isTrue();

        try (RunningRelay relay = RunningRelay.start(asRelay(after))) {
            HaltReason reason = relay.awaitHalted();
            assertThat(reason.cause()).isEqualTo(HaltReason.Cause.DATABASE_OLDER_THAN_POSITION);
            assertThat(reason.detail())
                    .contains(
                            "timeline 1",
                            "timeline 2",
                            after.position().lastCommit().toString());
            assertThatThrownBy(
                            () -> Repairs.of(asRelay(after), after, said, null).run(false, Duration.ofSeconds(20)))
                    .hasMessageContaining("position rebase");
            assertThat(Repairs.of(asRelay(after), after, said, null).run(true, Duration.ofSeconds(20)))
                    .isTrue();
            after.insert(3, "after the rebase");
            after.awaitDispatched();
        }

        List<UUID> published = after.idsOn("due-notice");
        assertThat(after.ids()).hasSize(11);
        assertThat(published).hasSize(16).doesNotHaveDuplicates().containsAll(after.ids());
    }

    @Test
    void theEvidenceOfTheLastBatchIsWrittenAgainWhereItHadNotReachedThePromotedStandby() throws Exception {
        publishWhileTheStandbyIsAway(Outbox.insertStatement(1, "copy-1")); // more could be more than one batch
        assertThat(after.pending()).isEqualTo(1);
        after.insert(5, "copy-1");

        try (RunningRelay relay = RunningRelay.start(asRelay(after)).awaitStreaming()) {
            after.awaitDispatched();
        }

        assertThat(after.ids()).hasSize(11);
        assertThat(after.idsOn("due-notice")).isEqualTo(after.ids());
        after.assertEachMessageIsPublishedOnceAndProvedOnce();
    }

    @Test
    void evidenceOfSeveralBatchesThatHadNotReachedThePromotedStandbyHaltsAndIsRepaired() throws Exception {
        publishWhileTheStandbyIsAway(Outbox.insertStatement(1200, "copy-2"));
        assertThat(after.pending()).isEqualTo(1200);

        haltsForEvidenceAndIsRepaired();

        assertThat(after.ids()).hasSize(1210);
        after.assertEachMessageIsPublishedOnceAndProvedOnce();
    }

    @Test
    void aQuarantineThatHadNotReachedThePromotedStandbyIsNotForgotten() throws Exception {
        publishWhileTheStandbyIsAway(Outbox.insertStatement(1, "copy-2").replace(Outbox.TYPE, "library.unheard-of"));
        assertThat(after.number("SELECT count(*) FROM outbox.quarantined")).isZero();

        haltsForEvidenceAndIsRepaired();

        assertThat(after.number("SELECT count(*) FROM outbox.quarantined")).isEqualTo(1);
        assertThat(after.idsOn("due-notice")).hasSize(10);
    }

    /** The standby has the messages, but nothing that the relay wrote of them. */
    private void publishWhileTheStandbyIsAway(String staging) throws Exception {
        try (RunningRelay relay = RunningRelay.start(asRelay(before)).awaitStreaming()) {
            before.insert(5, "copy-1");
            before.awaitDispatched();
            syncSlot();
        }
        before.sql(staging);
        awaitReplayed();
        standby.stop(StopMode.FAST);
        try (RunningRelay relay = RunningRelay.start(asRelay(before)).awaitStreaming()) {
            before.awaitDispatched();
        }
        primary.killHard();
        standby.start();
        standby.promote();
    }

    private void haltsForEvidenceAndIsRepaired() throws Exception {
        try (RunningRelay relay = RunningRelay.start(asRelay(after))) {
            assertThat(relay.awaitHalted().cause()).isEqualTo(HaltReason.Cause.EVIDENCE_INCOMPLETE);
            assertThat(Repairs.of(asRelay(after), after, said, null).run(false, Duration.ofSeconds(20)))
                    .isTrue();
            after.insert(5, "copy-3");
            after.awaitDispatched();
        }
    }

    private static RelaySettings asRelay(Outbox outbox) {
        DatabaseSettings database = outbox.settings().database();
        return Adjusted.database(
                outbox.settings(),
                new DatabaseSettings(
                        database.host(), database.port(), database.name(), "relay", "relay", database.sslMode()));
    }

    /** While a relay streams and so moves the slot: a standby keeps one only if the primary's is ahead of its own. */
    private void syncSlot() {
        // It fails while the standby is behind the slot.
        await().atMost(Duration.ofSeconds(30)).ignoreExceptions().until(() -> {
            before.sql("SELECT pg_log_standby_snapshot()");
            after.sql("SELECT pg_sync_replication_slots()");
            return after.number("SELECT count(*) FROM pg_replication_slots WHERE synced AND NOT temporary") == 1;
        });
    }

    private void awaitReplayed() {
        Lsn written = walEnd(before);
        await().atMost(Duration.ofSeconds(30)).until(() -> !Lsn.parse(
                        after.column("SELECT pg_last_wal_replay_lsn()").get(0))
                .isBefore(written));
    }

    private void failOver() {
        awaitReplayed();
        primary.killHard();
        standby.promote();
    }

    private static Lsn walEnd(Outbox outbox) {
        return Lsn.parse(outbox.column("SELECT pg_current_wal_flush_lsn()").get(0));
    }
}
