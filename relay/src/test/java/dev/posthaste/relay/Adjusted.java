package dev.posthaste.relay;

import java.time.Duration;

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

    static RelaySettings requestTimeout(RelaySettings s, Duration requestTimeout) {
        return copy(s, s.namespace(), s.slot(), s.database(), s.batch(), s.queue(), requestTimeout);
    }

    /** A sign of life so often: between the rows of a transaction as well. */
    static RelaySettings heartbeat(RelaySettings s, Duration heartbeat) {
        return new RelaySettings(
                s.namespace(),
                s.slot(),
                s.publication(),
                s.database(),
                s.kafka(),
                s.catalog(),
                s.lease(),
                s.batch(),
                s.queue(),
                s.poll(),
                heartbeat,
                s.requestTimeout(),
                s.drain(),
                s.http());
    }

    /** What a transaction staged comes together, mostly, and no request takes long. */
    static RelaySettings unhurried(RelaySettings s, Duration poll, Duration requestTimeout) {
        return new RelaySettings(
                s.namespace(),
                s.slot(),
                s.publication(),
                s.database(),
                s.kafka(),
                s.catalog(),
                s.lease(),
                s.batch(),
                s.queue(),
                poll,
                s.heartbeat(),
                requestTimeout,
                s.drain(),
                s.http());
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
        return copy(s, namespace, slot, database, batch, queue, s.requestTimeout());
    }

    private static RelaySettings copy(
            RelaySettings s,
            Namespace namespace,
            String slot,
            DatabaseSettings database,
            RelaySettings.Bounds batch,
            RelaySettings.Bounds queue,
            Duration requestTimeout) {
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
                requestTimeout,
                s.drain(),
                s.http());
    }
}
