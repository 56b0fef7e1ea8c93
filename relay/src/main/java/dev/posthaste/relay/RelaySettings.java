package dev.posthaste.relay;

import java.nio.file.Path;
import java.time.Duration;

import dev.posthaste.relay.publishing.KafkaSettings;
import dev.posthaste.relay.publishing.PublisherSettings;
import dev.posthaste.relay.source.DatabaseSettings;
import dev.posthaste.relay.source.SourceSettings;
import dev.posthaste.schemas.Namespace;

/**
 * Everything a relay is told. Contradictory settings are refused, never corrected.
 *
 * @param namespace first part of every topic's name
 * @param slot replication slot
 * @param publication publication
 * @param database where the outbox is
 * @param kafka where the topics are
 * @param catalog directory of the catalog; read again at each term
 * @param lease how long a lease lasts without renewal; a frozen leader is replaced after it
 * @param batch bounds of one Kafka transaction
 * @param queue bounds of what waits in memory
 * @param poll how long the reader waits for more; latency against idle CPU
 * @param heartbeat how often an idle outbox gives a sign of life
 * @param requestTimeout how long one request to Kafka may take
 * @param drain how long the batch in hand may take when the relay is told to stop
 * @param http where health and metrics are served
 */
public record RelaySettings(
        Namespace namespace,
        String slot,
        String publication,
        DatabaseSettings database,
        KafkaSettings kafka,
        Path catalog,
        Duration lease,
        Bounds batch,
        Bounds queue,
        Duration poll,
        Duration heartbeat,
        Duration requestTimeout,
        Duration drain,
        HttpSettings http) {

    /** Room beside the largest payload for key, headers and the record's own frame. */
    private static final int MESSAGE_BYTES = 9 * 1024 * 1024;

    /** PostgreSQL's answers are awaited for whole seconds, and for no longer than a lease. */
    private static final Duration LEASE_MIN = Duration.ofSeconds(1);

    /** What brokers allow ({@code transaction.max.timeout.ms}) unless they are told otherwise. */
    private static final Duration TRANSACTION_MAX = Duration.ofMinutes(15);

    /**
     * Most messages and most bytes.
     *
     * @param messages at least 1
     * @param bytes at least 1
     */
    public record Bounds(int messages, long bytes) {
        /** Checks that both are positive. */
        public Bounds {
            if (messages < 1 || bytes < 1) {
                throw new IllegalArgumentException(
                        "a bound is " + messages + " messages and " + bytes + " bytes, but both must be at least 1");
            }
        }
    }

    /**
     * Where the HTTP endpoints listen.
     *
     * @param port 0: any free one, told in the log
     */
    public record HttpSettings(String host, int port) {}

    /** Checks the settings against each other. */
    public RelaySettings {
        if (!slot.matches("[a-z0-9_]{1,63}")) {
            throw new IllegalArgumentException("slot is \"" + slot
                    + "\", but PostgreSQL takes 1 to 63 lower-case letters, digits and underscores");
        }
        if (lease.compareTo(LEASE_MIN) < 0) {
            throw new IllegalArgumentException("lease is " + lease.toMillis() + " ms, but must be at least "
                    + LEASE_MIN.toMillis() + " ms: it is renewed three times in its length, and an answer of PostgreSQL"
                    + " is awaited for whole seconds");
        }
        if (batch.messages() >= queue.messages()) {
            throw new IllegalArgumentException("batch.messages is " + batch.messages() + " and queue.messages is "
                    + queue.messages() + ", but the batch must be smaller than the queue");
        }
        requirePositive("poll", poll);
        requirePositive("request timeout", requestTimeout);
        if (transactionTimeout(lease, requestTimeout).compareTo(TRANSACTION_MAX) > 0) {
            throw new IllegalArgumentException("lease is " + lease.toSeconds() + " s and request timeout is "
                    + requestTimeout.toSeconds() + " s, but a lease and two requests must fit into a Kafka transaction,"
                    + " for which brokers allow " + TRANSACTION_MAX.toSeconds() + " s");
        }
        if (drain.isNegative()) {
            throw new IllegalArgumentException("drain is " + drain.toMillis() + " ms, but must not be negative");
        }
        if (poll.compareTo(heartbeat) >= 0) {
            throw new IllegalArgumentException("poll is " + poll.toMillis() + " ms and heartbeat is "
                    + heartbeat.toMillis() + " ms, but poll must be the shorter one");
        }
    }

    private static void requirePositive(String name, Duration value) {
        if (value.toMillis() < 1) {
            throw new IllegalArgumentException(name + " is " + value.toMillis() + " ms, but must be at least 1 ms");
        }
    }

    /** The part for the source. */
    public SourceSettings source() {
        return new SourceSettings(
                database, slot, publication, batch.messages(), queue.messages(), queue.bytes(), poll, heartbeat);
    }

    /**
     * The longest transaction of a leader that lives: one request sends its last record, one commits it, and the leader
     * may stand still for almost a lease. Were it shorter, Kafka would take a live leader for a dead one.
     */
    private static Duration transactionTimeout(Duration lease, Duration requestTimeout) {
        return lease.plus(requestTimeout.multipliedBy(2));
    }

    /**
     * The part for the publisher. Kafka aborts a dead leader's transaction after it, unless another leads before; a
     * live one's batch must end within.
     */
    public PublisherSettings publisher() {
        return publisher(namespace.name() + "-" + slot);
    }

    /** The part for what an operator publishes beside the relay, which it must not fence. */
    public PublisherSettings operator() {
        return publisher(namespace.name() + "-" + slot + "-operator");
    }

    private PublisherSettings publisher(String transactionalId) {
        return new PublisherSettings(
                kafka,
                namespace,
                slot,
                transactionalId,
                transactionTimeout(lease, requestTimeout),
                requestTimeout,
                MESSAGE_BYTES);
    }
}
