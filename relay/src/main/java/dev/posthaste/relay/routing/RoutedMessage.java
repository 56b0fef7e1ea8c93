package dev.posthaste.relay.routing;

import java.util.List;
import java.util.Map;

import dev.posthaste.relay.source.OutboxRow;

/**
 * A message and where it goes.
 *
 * @param row what was committed
 * @param topics one per handler; empty for a known type that nobody reads
 * @param key the record's key, one for all copies, so that the copies of one key keep their order everywhere
 * @param headers the record's headers, in order
 */
public record RoutedMessage(OutboxRow row, List<String> topics, String key, Map<String, String> headers) {

    /** About how many bytes its copies take in Kafka. */
    public long sizeBytes() {
        return (long) row.sizeBytes() * Math.max(1, topics.size());
    }
}
