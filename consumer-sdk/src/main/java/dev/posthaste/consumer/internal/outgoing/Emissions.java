package dev.posthaste.consumer.internal.outgoing;

import java.nio.charset.StandardCharsets;
import java.util.Set;

import org.apache.kafka.clients.producer.ProducerRecord;

import dev.posthaste.consumer.inbox.DueRecord;
import dev.posthaste.consumer.inbox.InboxStore;
import dev.posthaste.consumer.inbox.StoredRecord;
import dev.posthaste.consumer.internal.HandlerSetup;
import dev.posthaste.schemas.MessageHeaders;

/**
 * Makes the records that are emitted: same key, same bytes, same headers; what we add is replaced and never grows
 * (provision S1 33).
 */
final class Emissions {

    private static final Set<String> OURS = Set.of(
            MessageHeaders.ATTEMPT,
            MessageHeaders.ERROR_CODE,
            MessageHeaders.ERROR,
            MessageHeaders.ORIGIN,
            MessageHeaders.PREVIOUS_TRACE);

    private static final int ERROR_CHARACTERS_MAX = 1_000;

    private final HandlerSetup.Topics topics;

    Emissions(HandlerSetup.Topics topics) {
        this.topics = topics;
    }

    ProducerRecord<byte[], byte[]> of(DueRecord due, InboxStore.Route route) {
        boolean retry = route == InboxStore.Route.RETRY;
        StoredRecord stored = due.record();
        ProducerRecord<byte[], byte[]> record =
                new ProducerRecord<>(retry ? topics.retry() : topics.deadLetter(), stored.key(), stored.value());
        for (StoredRecord.Header header : stored.headers()) {
            if (!OURS.contains(header.name()) && !isReplaced(header, due)) {
                record.headers().add(header.name(), header.value());
            }
        }
        add(record, MessageHeaders.ATTEMPT, Integer.toString(retry ? due.attempt() + 1 : due.attempt()));
        add(record, MessageHeaders.ORIGIN, origin(due));
        if (due.lastTrace() != null) {
            add(record, MessageHeaders.PREVIOUS_TRACE, due.lastTrace());
        }
        if (due.replayId() != null) {
            add(record, MessageHeaders.REPLAY, due.replayId().toString());
        }
        if (due.code() != null) {
            add(record, MessageHeaders.ERROR_CODE, due.code());
        }
        if (!retry) {
            add(record, MessageHeaders.ERROR, shortened(String.valueOf(due.summary())));
        }
        return record;
    }

    private static boolean isReplaced(StoredRecord.Header header, DueRecord due) {
        return due.replayId() != null && header.name().equals(MessageHeaders.REPLAY);
    }

    /** A record that came by the retry topic before says where it came from first. */
    private static String origin(DueRecord due) {
        return due.record().headers().stream()
                .filter(header -> header.name().equals(MessageHeaders.ORIGIN) && header.value() != null)
                .findFirst()
                .map(header -> new String(header.value(), StandardCharsets.UTF_8))
                .orElse(due.topic() + "-" + due.partition() + "@" + due.offset());
    }

    private static void add(ProducerRecord<byte[], byte[]> record, String name, String value) {
        record.headers().add(name, value.getBytes(StandardCharsets.UTF_8));
    }

    private static String shortened(String text) {
        return text.length() <= ERROR_CHARACTERS_MAX ? text : text.substring(0, ERROR_CHARACTERS_MAX) + "…";
    }
}
