package dev.posthaste.relay;

import java.util.List;
import java.util.UUID;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import dev.posthaste.relay.health.RelayMeters;
import dev.posthaste.schemas.catalog.CatalogReader;

/** Repairs as {@code posthaste repair} makes them. */
final class Repairs {

    private Repairs() {}

    static Repair of(Outbox outbox, List<String> said) {
        return of(outbox.settings(), outbox, said, null);
    }

    static Repair of(Outbox outbox, List<String> said, HaltReason.Cause told) {
        return of(outbox.settings(), outbox, said, told);
    }

    /** With other settings than the outbox's; {@code told} is null where the repair is told of nothing. */
    static Repair of(RelaySettings settings, Outbox outbox, List<String> said, HaltReason.Cause told) {
        return new Repair(
                settings,
                "repair-" + UUID.randomUUID(),
                CatalogReader.read(outbox.catalog()),
                new RelayMeters(new SimpleMeterRegistry()),
                said::add,
                told);
    }
}
