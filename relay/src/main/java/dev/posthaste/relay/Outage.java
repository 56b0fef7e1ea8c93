package dev.posthaste.relay;

import java.sql.SQLException;

import org.apache.kafka.common.KafkaException;

import dev.posthaste.relay.lease.FencedException;

/** Tells what the stores do to a batch from what is wrong with the batch: an outage is no failed attempt (S1 24). */
final class Outage {

    private Outage() {}

    /**
     * Whether a store was away or refused, another relay took over, or the term was ended meanwhile. What Kafka has
     * against a single record is none: the publisher reports that otherwise.
     */
    static boolean is(Throwable failure) {
        return failure instanceof SQLException
                || failure instanceof KafkaException
                || failure instanceof FencedException
                || failure instanceof InterruptedException;
    }
}
