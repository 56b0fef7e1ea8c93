package dev.posthaste.relay;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.posthaste.testkit.PosthasteStack;
import dev.posthaste.testkit.Stack;

import static org.assertj.core.api.Assertions.assertThat;

@PosthasteStack
class PreflightTest {

    @Test
    void aRelayHaltsOnAFailedPreflightNamesItAndGoesOnOnceItIsMended(Stack stack, @TempDir Path directory)
            throws Exception {
        Outbox outbox = Outbox.initialised(stack, directory);
        outbox.sql("ALTER PUBLICATION posthaste SET (publish = 'insert, update')");
        outbox.insert(3, "copy-1");
        try (RunningRelay relay = RunningRelay.start(outbox.settings())) {
            HaltReason reason = relay.awaitHalted();

            assertThat(reason.cause()).isEqualTo(HaltReason.Cause.PREFLIGHT_FAILED);
            assertThat(reason.detail()).contains("publication: posthaste publishes insert update");
            assertThat(reason.remedy()).contains("posthaste doctor");
            assertThat(outbox.idsOn("statistics")).isEmpty();

            outbox.sql("ALTER PUBLICATION posthaste SET (publish = 'insert')");
            relay.awaitStreaming();
            outbox.awaitDispatched();
        }
        outbox.assertEachMessageIsPublishedOnceAndProvedOnce();
    }

    @Test
    void whereNoTopicCanBeWrittenToEverythingWaitsAndNothingIsSetAside(Stack stack, @TempDir Path directory)
            throws Exception {
        Outbox outbox = Outbox.initialised(stack, directory);
        outbox.insert(3, "copy-1");
        try (Admin admin =
                Admin.create(Map.of("bootstrap.servers", stack.kafka().bootstrapServers()))) {
            admin.deleteTopics(List.of(outbox.topic("due-notice"), outbox.topic("statistics")))
                    .all()
                    .get();
        }
        try (RunningRelay relay = RunningRelay.start(outbox.settings())) {
            HaltReason reason = relay.awaitHalted();

            assertThat(reason.cause()).isEqualTo(HaltReason.Cause.PREFLIGHT_FAILED);
            assertThat(reason.detail()).contains(outbox.topic("due-notice"), "TOPIC_MISSING");
            assertThat(outbox.number("SELECT count(*) FROM outbox.quarantined")).isZero();

            outbox.initialise();
            relay.awaitStreaming();
            outbox.awaitDispatched();
        }
        outbox.assertEachMessageIsPublishedOnceAndProvedOnce();
    }
}
