package dev.posthaste.relay.publishing;

import java.time.Duration;

import dev.posthaste.schemas.Namespace;

/**
 * How batches are published.
 *
 * @param transactionalId whoever opens a publisher under it fences every other: one per namespace and slot for the
 *     relays, another for operators
 * @param transactionTimeout after which Kafka aborts the open transaction of a dead leader, which readers wait for
 *     until then
 * @param requestTimeout how long one request, a send or a commit may take before the batch counts as failed
 * @param messageBytes most bytes of one record; the topics' limit as {@code init} makes them
 */
public record PublisherSettings(
        KafkaSettings kafka,
        Namespace namespace,
        String slot,
        String transactionalId,
        Duration transactionTimeout,
        Duration requestTimeout,
        int messageBytes) {}
