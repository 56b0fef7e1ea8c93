package dev.posthaste.consumer.internal;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

import dev.posthaste.consumer.Delivery;
import dev.posthaste.consumer.inbox.StoredRecord;
import dev.posthaste.consumer.inbox.Verdict;
import dev.posthaste.schemas.MessageHeaders;

/** Kafka's records in the words of the inbox and of handlers. */
final class Records {

    private Records() {}

    /** As it is kept: byte for byte, with every header. */
    static StoredRecord stored(ConsumerRecord<byte[], byte[]> record) {
        return stored(record, null);
    }

    /** The same, with the span of its last attempt in place of an earlier one's; null keeps that. */
    static StoredRecord stored(ConsumerRecord<byte[], byte[]> record, @Nullable String trace) {
        List<StoredRecord.Header> headers = new ArrayList<>();
        for (Header header : record.headers()) {
            if (trace == null || !header.key().equals(MessageHeaders.PREVIOUS_TRACE)) {
                headers.add(new StoredRecord.Header(header.key(), header.value()));
            }
        }
        if (trace != null) {
            headers.add(
                    new StoredRecord.Header(MessageHeaders.PREVIOUS_TRACE, trace.getBytes(StandardCharsets.US_ASCII)));
        }
        return new StoredRecord(record.key(), record.value(), headers);
    }

    /** What its handler is told of its coming; null for a batch of several. */
    static @Nullable Delivery delivery(Task<?> task, Verdict.Run run, int together) {
        return together > 1 ? null : delivery(task, run);
    }

    /** What its handler is told of its coming. */
    static Delivery delivery(Task<?> task, Verdict.Run run) {
        return new Delivery(
                run.attempt(), run.firstSeenAt(), task.record().headers().lastHeader(MessageHeaders.REPLAY) != null);
    }
}
