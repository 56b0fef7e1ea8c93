package dev.posthaste.relay;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;

import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.posthaste.relay.health.RelayMeters;
import dev.posthaste.relay.lease.FencedException;
import dev.posthaste.relay.lease.LeasedSession;
import dev.posthaste.relay.publishing.ClosedTopicMemory;
import dev.posthaste.relay.publishing.HandlerTopics;
import dev.posthaste.relay.quarantine.QuarantinedMessage;
import dev.posthaste.relay.quarantine.Retries;

/**
 * Takes its turn between two batches, every few seconds: looks whether a closed topic is open again, and tries what is
 * due of the quarantine. Confined to the source's thread; heartbeats bring it there on an idle outbox.
 */
final class RetryTurn implements Retries.Outcomes {

    private static final Logger log = LoggerFactory.getLogger(RetryTurn.class);
    private static final long EVERY_NANOS = Duration.ofSeconds(2).toNanos();

    private final HandlerTopics topics;
    private final LeasedSession session;
    private final RelayMeters meters;
    private long lastAt = System.nanoTime();

    RetryTurn(HandlerTopics topics, LeasedSession session, RelayMeters meters) {
        this.topics = topics;
        this.session = session;
        this.meters = meters;
    }

    void takeIfDue(Retries retries) throws SQLException, FencedException, HaltException, InterruptedException {
        if (System.nanoTime() - lastAt < EVERY_NANOS) {
            return;
        }
        if (topics.lookAgain()) {
            waitFor(session.write(connection -> waited(topics, connection)), topics);
            refuseIfAllAreClosed(topics);
        }
        retries.runWhatIsDue();
        lastAt = System.nanoTime();
    }

    /** Notes which are closed; returns those for which everything waits. */
    static Set<String> waited(HandlerTopics topics, Connection connection) throws SQLException {
        return new ClosedTopicMemory(connection)
                .note(topics.topics(), topics.closed().keySet());
    }

    /**
     * Ends the term while a topic is closed for a short time only: everything waits, in order, as in an outage.
     *
     * @throws KafkaException naming the topics
     */
    static void waitFor(Set<String> waited, HandlerTopics topics) {
        if (!waited.isEmpty()) {
            throw new KafkaException("nothing can be published to " + waited + ": " + topics.closed() + "; after "
                    + ClosedTopicMemory.GRACE.toSeconds() + " s what goes there is quarantined and the rest goes on");
        }
    }

    /** That is no fault of the messages: they wait, and none is set aside. */
    static void refuseIfAllAreClosed(HandlerTopics topics) throws HaltException {
        if (topics.areAllClosed()) {
            throw new HaltException(
                    HaltReason.Cause.PREFLIGHT_FAILED,
                    "no handler's topic can be written to: " + topics.closed(),
                    "run posthaste init, or give the relay its rights back; posthaste doctor shows everything");
        }
    }

    @Override
    public void released(QuarantinedMessage message) {
        meters.retried(message.handler(), RelayMeters.RetryOutcome.RELEASED);
        log.info(
                "message {} is released to {} by attempt {}",
                message.messageId(),
                message.handler(),
                message.attempt());
    }

    @Override
    public void failed(QuarantinedMessage message, String error, boolean last) {
        meters.retried(message.handler(), last ? RelayMeters.RetryOutcome.EXHAUSTED : RelayMeters.RetryOutcome.FAILED);
        if (last) {
            log.warn(
                    "message {} stays quarantined for {} after {} attempts, until an operator releases or discards it: {}",
                    message.messageId(),
                    message.handler(),
                    message.attempt(),
                    error);
        } else {
            log.debug("message {} stays quarantined for {}: {}", message.messageId(), message.handler(), error);
        }
    }
}
