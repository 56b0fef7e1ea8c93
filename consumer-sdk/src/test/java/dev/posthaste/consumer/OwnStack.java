package dev.posthaste.consumer;

import dev.posthaste.testkit.KafkaBroker;
import dev.posthaste.testkit.PostgresServer;
import dev.posthaste.testkit.Stack;

/** Two servers of which one is the test's own; closing it closes neither. */
record OwnStack(PostgresServer postgres, KafkaBroker kafka) implements Stack {

    @Override
    public void close() {}
}
