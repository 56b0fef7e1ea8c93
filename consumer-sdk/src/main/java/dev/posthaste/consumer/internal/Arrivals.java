package dev.posthaste.consumer.internal;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.UUID;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

import dev.posthaste.consumer.inbox.Arrival;
import dev.posthaste.consumer.inbox.DeliveryId;
import dev.posthaste.schemas.MessageHeaders;

/** Tells how the inbox knows a record. Immutable and thread-safe. */
public final class Arrivals {

    private final String retryTopic;
    private final boolean perKey;

    /**
     * Makes one.
     *
     * @param retryTopic the topic whose records say which attempt they ask for
     * @param perKey whether the handler has order per key
     */
    public Arrivals(String retryTopic, boolean perKey) {
        this.retryTopic = retryTopic;
        this.perKey = perKey;
    }

    /** Of a record whose headers can be read. */
    Arrival of(ConsumerRecord<byte[], byte[]> record, Envelope envelope) throws UnreadableException {
        return arrival(record, new DeliveryId(envelope.tenant(), envelope.id(), envelope.stagedAt()));
    }

    /**
     * Of any record: one without a readable message id or staged time is known by where it lies, which no redelivery
     * from there changes, and a retry brings along.
     */
    Arrival ofUnreadable(ConsumerRecord<byte[], byte[]> record) {
        DeliveryId id;
        try {
            Envelope.Identity identity = Envelope.identity(record.headers());
            id = new DeliveryId(identity.tenant(), identity.id(), identity.stagedAt());
        } catch (UnreadableException e) {
            String origin = Envelope.text(record.headers(), MessageHeaders.ORIGIN);
            String place = origin == null ? record.topic() + "-" + record.partition() + "@" + record.offset() : origin;
            id = new DeliveryId("", UUID.nameUUIDFromBytes(place.getBytes(StandardCharsets.UTF_8)), Instant.EPOCH);
        }
        try {
            return arrival(record, id);
        } catch (UnreadableException e) {
            return arrival(record, id, 1); // a retry topic's record without a number: nobody but us writes there
        }
    }

    private Arrival arrival(ConsumerRecord<byte[], byte[]> record, DeliveryId id) throws UnreadableException {
        int attempt = record.topic().equals(retryTopic)
                ? Envelope.required(record.headers(), MessageHeaders.ATTEMPT, Arrivals::attempt)
                : 1;
        return arrival(record, id, attempt);
    }

    private Arrival arrival(ConsumerRecord<byte[], byte[]> record, DeliveryId id, int attempt) {
        return new Arrival(
                id,
                attempt,
                !record.topic().equals(retryTopic) // its retries bring the header along
                        && "release".equals(Envelope.text(record.headers(), MessageHeaders.REPLAY)),
                perKey ? orderingKey(record.key()) : null,
                record.topic(),
                record.partition(),
                record.offset());
    }

    private static Integer attempt(String text) {
        int attempt = Integer.parseInt(text);
        if (attempt < 1) {
            throw new IllegalArgumentException();
        }
        return attempt;
    }

    /** Keys may be long; the index wants them short. */
    private static byte @Nullable [] orderingKey(byte @Nullable [] key) {
        return key == null ? null : Sha256.of(key);
    }
}
