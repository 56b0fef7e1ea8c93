package dev.posthaste.consumer;

import java.time.Duration;

import dev.posthaste.consumer.inbox.InboxStore;
import dev.posthaste.consumer.inbox.PostgresInbox;
import dev.posthaste.testkit.PosthasteStack;

@PosthasteStack
class PostgresInboxTest extends InboxStoreContract {

    @Override
    InboxStore store(String owner) {
        return new PostgresInbox("due-notice", owner, "host-1", Duration.ofSeconds(10), 3);
    }
}
