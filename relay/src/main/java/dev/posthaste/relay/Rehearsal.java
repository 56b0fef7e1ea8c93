package dev.posthaste.relay;

import java.sql.Connection;

import dev.posthaste.relay.publishing.KafkaPublisher;
import dev.posthaste.relay.publishing.PositionStore;
import dev.posthaste.relay.source.EngineRehearsal;
import dev.posthaste.schemas.catalog.CatalogReader;

/**
 * What a standby does beforehand, so that the term it may have to begin is not its process's first: it reads and checks
 * what a term begins with, and starts what a term starts, all without any effect. Nothing of it is kept but for classes
 * that are loaded: a term reads everything itself, in the order that makes it safe.
 */
final class Rehearsal {

    private final RelaySettings settings;
    private final Preflight preflight;

    Rehearsal(RelaySettings settings, Preflight preflight) {
        this.settings = settings;
        this.preflight = preflight;
    }

    /** Rehearses; what fails here would fail a term, or make it slower. */
    void run() throws Exception {
        var unused = CatalogReader.read(settings.catalog());
        if (new PositionStore(settings.kafka(), settings.namespace(), settings.slot(), settings.requestTimeout())
                .read()
                .isPresent()) {
            KafkaPublisher.rehearse(settings.publisher());
        }
        try (Connection control = settings.database().connect("posthaste-rehearsal")) {
            preflight.check(control);
        }
        EngineRehearsal.run(settings.source());
    }
}
