package dev.posthaste.relay.quarantine;

import java.time.Instant;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

/**
 * A row of {@code outbox.quarantined}, without the message's payload.
 *
 * @param messageId the message
 * @param createdAt when it was staged
 * @param type the message's type; null: retention has dropped the message
 * @param handler whom it is set aside for; {@code *}: every handler of its type
 * @param state quarantined, released or discarded
 * @param cause what kind of fault
 * @param lastError what was wrong
 * @param attempt how often it was tried
 * @param quarantinedAt since when
 * @param nextAttempt when the relay tries again by itself; null: it does not
 */
public record QuarantinedMessage(
        UUID messageId,
        Instant createdAt,
        @Nullable String type,
        String handler,
        String state,
        String cause,
        String lastError,
        int attempt,
        Instant quarantinedAt,
        @Nullable Instant nextAttempt) {}
