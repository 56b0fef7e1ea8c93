package dev.posthaste.relay.publishing;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * What an earlier publisher of this transactional id wrote, and what is still undecided although the coordinator takes
 * it for over: the next transaction that ends on these partitions decides it as well.
 *
 * @param from where it begins on each of its partitions
 * @param positionHangs whether the position's partition is one of them
 * @param positions the positions of the slot in it
 * @param messages the messages in it, each as often as it is there
 * @param since when its first record was written, by its publisher's clock; null where it has no records
 * @param decidedInPart whether it is decided on some other partition
 * @param doubt why it cannot be judged by these; null: it can
 */
public record HangingTransaction(
        Map<TopicPartition, Long> from,
        boolean positionHangs,
        List<Position> positions,
        List<TopicTail.Seen> messages,
        @Nullable Instant since,
        boolean decidedInPart,
        @Nullable String doubt) {

    /** One that cannot be judged. */
    static HangingTransaction doubtful(Map<TopicPartition, Long> from, String doubt) {
        return new HangingTransaction(from, false, List.of(), List.of(), null, false, doubt);
    }

    /** Where it is, for people. */
    public String where() {
        return from.entrySet().stream()
                .map(begin -> begin.getKey() + " from offset " + begin.getValue())
                .sorted()
                .collect(Collectors.joining(", "));
    }
}
