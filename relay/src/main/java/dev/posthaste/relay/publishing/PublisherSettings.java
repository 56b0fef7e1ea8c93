package dev.posthaste.relay.publishing;

import java.time.Duration;

import dev.posthaste.schemas.Namespace;

/**
 * How batches are published.
 *
 * @param transactionTimeout after which Kafka aborts the open transaction of a dead leader, which readers wait for
 *     until then
 * @param requestTimeout how long one request, a send or a commit may take before the batch counts as failed
 * @param messageBytes most bytes of one record; the topics' limit as {@code init} makes them
 */
public record PublisherSettings(
        KafkaSettings kafka,
        Namespace namespace,
        String slot,
        Duration transactionTimeout,
        Duration requestTimeout,
        int messageBytes) {

    /** One per namespace and slot: two leaders of one slot fence each other. */
    public String transactionalId() {
        return namespace.name() + "-" + slot;
    }
}
