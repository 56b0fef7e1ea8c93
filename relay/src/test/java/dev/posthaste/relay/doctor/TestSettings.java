package dev.posthaste.relay.doctor;

import dev.posthaste.relay.RelaySettings;
import dev.posthaste.relay.source.DatabaseSettings;

/** Settings with one thing changed. */
final class TestSettings {

    private TestSettings() {}

    static RelaySettings withDatabase(RelaySettings s, DatabaseSettings database) {
        return new RelaySettings(
                s.namespace(),
                s.slot(),
                s.publication(),
                database,
                s.kafka(),
                s.catalog(),
                s.lease(),
                s.batch(),
                s.queue(),
                s.poll(),
                s.heartbeat(),
                s.requestTimeout(),
                s.drain(),
                s.http());
    }
}
