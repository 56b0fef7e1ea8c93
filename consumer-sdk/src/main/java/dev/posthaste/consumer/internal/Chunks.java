package dev.posthaste.consumer.internal;

import java.util.List;

import org.apache.kafka.clients.consumer.ConsumerRecord;

/** What a lane does with a few records. */
interface Chunks {

    /**
     * Runs records that follow each other in their strand; at least one.
     *
     * @param suspect whether one of them may have ended the process that ran it before: then each attempt is counted
     *     before it begins
     */
    ChunkResult run(List<ConsumerRecord<byte[], byte[]>> records, boolean suspect);

    /**
     * Runs one record while the handler pauses, to find out whether it may go on. It is not counted before it begins:
     * one that ends the process is, when the next process meets it.
     */
    default ChunkResult probe(ConsumerRecord<byte[], byte[]> record) {
        return run(List.of(record), false);
    }
}
