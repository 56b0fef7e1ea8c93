package dev.posthaste.chaos.cli;

import dev.posthaste.relay.cli.CommandProvider;

/** Adds {@code posthaste chaos}. */
public final class ChaosCommands implements CommandProvider {

    @Override
    public Object command() {
        return new ChaosCommand();
    }
}
