package dev.posthaste.relay.cli;

import java.util.Map;

import dev.posthaste.relay.RelaySettings;

/** A relay's settings from environment variables alone, as {@code posthaste relay} without options reads them. */
public final class EnvironmentSettings {

    private EnvironmentSettings() {}

    /**
     * Reads them.
     *
     * @throws UsageException if a variable that begins with {@code POSTHASTE_} is unknown, a setting is missing, or its
     *     text is not what it should be
     * @throws IllegalArgumentException if settings contradict each other
     */
    public static RelaySettings read(Map<String, String> environment) {
        return new SettingsOptions().read(environment);
    }
}
