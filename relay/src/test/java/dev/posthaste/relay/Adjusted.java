package dev.posthaste.relay;

import dev.posthaste.relay.source.DatabaseSettings;
import dev.posthaste.schemas.Namespace;

/** Settings that differ in one thing. */
final class Adjusted {

    private Adjusted() {}

    static RelaySettings batches(RelaySettings s, int batchMessages, int queueMessages) {
        return copy(
                s,
                s.namespace(),
                s.slot(),
                s.database(),
                new RelaySettings.Bounds(batchMessages, s.batch().bytes()),
                new RelaySettings.Bounds(queueMessages, s.queue().bytes()));
    }

    static RelaySettings database(RelaySettings s, DatabaseSettings database) {
        return copy(s, s.namespace(), s.slot(), database, s.batch(), s.queue());
    }

    static RelaySettings source(RelaySettings s, Namespace namespace, String slot) {
        return copy(s, namespace, slot, s.database(), s.batch(), s.queue());
    }

    private static RelaySettings copy(
            RelaySettings s,
            Namespace namespace,
            String slot,
            DatabaseSettings database,
            RelaySettings.Bounds batch,
            RelaySettings.Bounds queue) {
        return new RelaySettings(
                namespace,
                slot,
                s.publication(),
                database,
                s.kafka(),
                s.catalog(),
                s.lease(),
                batch,
                queue,
                s.poll(),
                s.heartbeat(),
                s.requestTimeout(),
                s.drain(),
                s.http());
    }
}
