package dev.posthaste.consumer;

import java.time.Instant;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

import dev.posthaste.consumer.inbox.Printable;

/**
 * A partition that stands still, with the cause. Later records of it wait; nothing of it is lost.
 *
 * @param handler whose
 * @param topic of which topic
 * @param partition its number, or {@link #ALL}
 * @param offset the record at which it stands; -1: none
 * @param messageId that record's message; null where there is none or it cannot be read
 * @param reason why
 * @param errorClass class of the error; null where there was none
 * @param summary what happened and what to do, without payload; printable whatever it was made of
 * @param since when it stopped
 */
public record StoppedPartition(
        String handler,
        String topic,
        int partition,
        long offset,
        @Nullable UUID messageId,
        StopReason reason,
        @Nullable String errorClass,
        String summary,
        Instant since) {

    /** In place of a number: all partitions of the topic. */
    public static final int ALL = -1;

    /** Makes the summary printable: it goes to the log and to whoever asks for the health. */
    public StoppedPartition {
        summary = Printable.of(summary);
    }
}
