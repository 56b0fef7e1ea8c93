package dev.posthaste.relay.routing;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.posthaste.relay.source.OutboxRow;
import dev.posthaste.schemas.MessageHeaders;

/**
 * A message and where it goes.
 *
 * @param row what was committed
 * @param topics where a copy goes, one per handler; empty for a known type that nobody reads
 * @param markers where a marker goes instead, since the message is quarantined for that handler and its order is per
 *     key
 * @param key the record's key, one for all copies, so that the copies of one key keep their order everywhere
 * @param headers the record's headers, in order
 * @param withheld whether it is quarantined for a handler instead of published to it
 */
public record RoutedMessage(
        OutboxRow row,
        List<String> topics,
        List<String> markers,
        String key,
        Map<String, String> headers,
        boolean withheld) {

    private static final DateTimeFormatter MICROS =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);

    /** When it was staged, as the header has it: all six digits of PostgreSQL's microseconds. */
    public String stagedAt() {
        return micros(row.createdAt());
    }

    static String micros(Instant instant) {
        return MICROS.format(instant);
    }

    /** About how many bytes its copies take in Kafka. */
    public long sizeBytes() {
        return (long) row.sizeBytes() * Math.max(1, topics.size());
    }

    /**
     * The same for one topic alone.
     *
     * @param topic {@link Unpublishable#EVERY_HANDLER}: all its topics
     */
    public RoutedMessage only(String topic) {
        List<String> chosen = topics.stream()
                .filter(other -> topic.equals(Unpublishable.EVERY_HANDLER) || other.equals(topic))
                .toList();
        return new RoutedMessage(row, chosen, List.of(), key, headers, withheld);
    }

    /**
     * The same, marked as published outside the commit order.
     *
     * @param by {@code release} or {@code repair}
     */
    public RoutedMessage marked(String by) {
        Map<String, String> marked = new LinkedHashMap<>(headers);
        marked.put(MessageHeaders.REPLAY, by);
        return new RoutedMessage(row, topics, markers, key, marked, withheld);
    }

    /** The same without the copy on a topic. */
    RoutedMessage without(String topic, boolean marker) {
        List<String> left =
                topics.stream().filter(other -> !other.equals(topic)).toList();
        List<String> marked = new ArrayList<>(markers);
        if (marker) {
            marked.add(topic);
        }
        return new RoutedMessage(row, left, marked, key, headers, true);
    }

    /** The same without the marker on a topic. */
    RoutedMessage withoutMarker(String topic) {
        List<String> left =
                markers.stream().filter(other -> !other.equals(topic)).toList();
        return new RoutedMessage(row, topics, left, key, headers, true);
    }
}
