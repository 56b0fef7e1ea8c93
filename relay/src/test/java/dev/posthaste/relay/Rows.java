package dev.posthaste.relay;

import java.time.Instant;
import java.util.UUID;

import dev.posthaste.relay.source.OutboxRow;
import dev.posthaste.schemas.Payload;

/** Outbox rows as the source hands them over. */
public final class Rows {

    public static final Instant HAPPENED = Instant.parse("2026-03-04T05:06:07.000089Z");
    public static final Instant STAGED = Instant.parse("2026-03-04T05:06:08Z");

    private Rows() {}

    /** A row of the test catalog's type without key, tenant and headers. */
    public static OutboxRow row(UUID id) {
        return row(id, null, "", null);
    }

    public static OutboxRow row(UUID id, String key, String tenant, String headers) {
        return row(id, "integration-event", Outbox.TYPE, 1, key, tenant, headers);
    }

    public static OutboxRow row(
            UUID id, String kind, String type, int version, String key, String tenant, String headers) {
        return new OutboxRow(
                id,
                kind,
                type,
                version,
                key,
                tenant,
                HAPPENED,
                "application/json",
                new Payload.Json("{}"),
                headers,
                STAGED);
    }
}
