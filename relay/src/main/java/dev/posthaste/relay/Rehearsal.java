package dev.posthaste.relay;

import java.sql.Connection;
import java.util.Iterator;
import java.util.List;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.posthaste.relay.publishing.KafkaPublisher;
import dev.posthaste.relay.publishing.PositionStore;
import dev.posthaste.relay.source.EngineRehearsal;
import dev.posthaste.schemas.catalog.CatalogReader;

/**
 * What a standby does beforehand, so that the term it may have to begin is not its process's first: it reads and checks
 * what a term begins with, and starts what a term starts, all without any effect. Nothing of it is kept but for classes
 * that are loaded: a term reads everything itself, in the order that makes it safe. Not thread-safe.
 */
final class Rehearsal {

    private static final Logger log = LoggerFactory.getLogger(Rehearsal.class);

    private interface Step {
        void run() throws Exception;
    }

    private final RelaySettings settings;
    private final Preflight preflight;
    private final Iterator<Step> steps = List.<Step>of(this::readCatalog, this::publish, this::preflight, this::stream)
            .iterator();

    Rehearsal(RelaySettings settings, Preflight preflight) {
        this.settings = settings;
        this.preflight = preflight;
    }

    boolean isOver() {
        return !steps.hasNext();
    }

    /** Takes the next step, of less than a second each. What fails here would fail a term, or make it slower. */
    void next() throws InterruptedException {
        try {
            steps.next().run();
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            log.warn("the rehearsal of a takeover failed, so a takeover will be slower, or fail: {}", e.getMessage());
        }
        if (isOver()) {
            log.info("ready to take over");
        }
    }

    private void readCatalog() throws Exception {
        var unused = CatalogReader.read(settings.catalog());
    }

    private void publish() {
        PositionStore positions = new PositionStore(settings.publisher());
        if (positions.read().isPresent()) {
            KafkaPublisher.rehearse(settings.publisher());
        }
    }

    private void preflight() throws Exception {
        try (Connection control = settings.database().connect("posthaste-rehearsal")) {
            preflight.check(control);
        }
    }

    private void stream() throws InterruptedException {
        EngineRehearsal.run(settings.source());
    }
}
