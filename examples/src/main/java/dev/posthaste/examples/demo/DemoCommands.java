package dev.posthaste.examples.demo;

import dev.posthaste.relay.cli.CommandProvider;

/** Adds {@code posthaste demo}. */
public final class DemoCommands implements CommandProvider {

    @Override
    public Object command() {
        return new DemoCommand();
    }
}
