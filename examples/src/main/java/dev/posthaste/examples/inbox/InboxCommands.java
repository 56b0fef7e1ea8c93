package dev.posthaste.examples.inbox;

import dev.posthaste.relay.cli.CommandProvider;

/** Adds {@code posthaste inbox}. */
public final class InboxCommands implements CommandProvider {

    @Override
    public Object command() {
        return new InboxCommand();
    }
}
