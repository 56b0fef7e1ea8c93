package dev.posthaste.relay;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.posthaste.relay.source.Lsn;
import dev.posthaste.testkit.EmbeddedPostgres;
import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.ReportedCase;
import dev.posthaste.testkit.Stack;
import dev.posthaste.testkit.StopMode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

/** A data directory put back from an older copy, slots included: the same server, on the same timeline. */
@PosthasteStack
@ReportedCase(42)
class RestoredDataTest {

    private static final String OTHER_BUSINESS =
            "INSERT INTO other_business SELECT repeat('x', 1000) FROM generate_series(1, 5000)";

    @Test
    void newMessagesBelowTheOldPositionAreNeverSwallowed(Stack stack, @TempDir Path directory) throws Exception {
        List<String> said = new ArrayList<>();
        try (EmbeddedPostgres postgres = EmbeddedPostgres.launch()) {
            Outbox outbox = Outbox.initialised(new OwnStack(postgres, stack.kafka()), directory);
            outbox.sql("CREATE TABLE other_business (text text)");
            publish(outbox, 5);
            Path backup = backUp(postgres);

            // First: nothing was published since, but the slot had moved. The copy lacks nothing.
            try (RunningRelay relay = RunningRelay.start(outbox.settings()).awaitStreaming()) {
                outbox.sql(OTHER_BUSINESS);
                Lsn written = walEnd(outbox);
                await().atMost(Duration.ofSeconds(20)).until(() -> written.isBefore(outbox.slot()));
            }
            restore(postgres, backup);
            outbox.insert(3, "below the old ack");
            assertThat(walEnd(outbox).isBefore(outbox.position().ack())).isTrue();
            outbox.sql(OTHER_BUSINESS);
            outbox.sql(OTHER_BUSINESS);
            assertThat(outbox.position().ack().isBefore(walEnd(outbox))).isTrue();
            publish(outbox, 3);
            assertThat(outbox.ids()).hasSize(11);
            outbox.assertEachMessageIsPublishedOnceAndProvedOnce();

            // Then: the messages just published are not in the copy.
            List<String> published =
                    outbox.idsOn("due-notice").stream().map(Object::toString).toList();
            restore(postgres, backup);
            outbox.insert(4, "below the old position");
            assertThat(walEnd(outbox).isBefore(outbox.position().lastCommit())).isTrue();
            try (RunningRelay relay = RunningRelay.start(outbox.settings())) {
                assertThat(relay.awaitHalted().cause()).isEqualTo(HaltReason.Cause.DATABASE_OLDER_THAN_POSITION);
                outbox.sql(OTHER_BUSINESS);
                outbox.sql(OTHER_BUSINESS);
                outbox.sql(OTHER_BUSINESS);
                assertThat(outbox.position().lastCommit().isBefore(walEnd(outbox)))
                        .isTrue();
                relay.awaitHaltedAgain();
                assertThatThrownBy(() -> Repairs.of(outbox, said).run(false, Duration.ofSeconds(20)))
                        .hasMessageContaining("position rebase");
                assertThat(Repairs.of(outbox, said).run(true, Duration.ofSeconds(20)))
                        .isTrue();
                outbox.insert(3, "after the rebase");
                outbox.awaitDispatched();
            }
            assertThat(outbox.ids()).hasSize(12);
            assertThat(outbox.idsOn("due-notice"))
                    .hasSize(published.size() + 7)
                    .doesNotHaveDuplicates()
                    .containsAll(outbox.ids());

            // Last: a copy from before the rebase, with the slot of then.
            restore(postgres, backup);
            try (RunningRelay relay = RunningRelay.start(outbox.settings())) {
                assertThat(relay.awaitHalted().cause()).isEqualTo(HaltReason.Cause.DATABASE_OLDER_THAN_POSITION);
            }
        }
    }

    private static void publish(Outbox outbox, int messages) throws InterruptedException {
        try (RunningRelay relay = RunningRelay.start(outbox.settings()).awaitStreaming()) {
            outbox.insert(1, "copy-1");
            outbox.insert(messages - 1, "copy-1"); // the position is at the end of the transaction before the last
            outbox.awaitDispatched();
        }
    }

    private static Path backUp(EmbeddedPostgres postgres) {
        postgres.stop(StopMode.FAST);
        Path backup = postgres.backUp();
        postgres.start();
        return backup;
    }

    private static void restore(EmbeddedPostgres postgres, Path backup) {
        postgres.stop(StopMode.FAST);
        postgres.restore(backup);
        postgres.start();
    }

    private static Lsn walEnd(Outbox outbox) {
        return Lsn.parse(outbox.column("SELECT pg_current_wal_flush_lsn()").get(0));
    }
}
