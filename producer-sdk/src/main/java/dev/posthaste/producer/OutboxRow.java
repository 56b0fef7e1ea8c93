package dev.posthaste.producer;

import java.time.Instant;
import java.util.UUID;

import dev.posthaste.schemas.OutboxMessage;

/** A message with everything filled in. */
record OutboxRow(OutboxMessage message, UUID id, Instant occurredAt, String headersJson) {}
