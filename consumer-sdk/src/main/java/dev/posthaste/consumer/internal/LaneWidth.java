package dev.posthaste.consumer.internal;

import java.nio.charset.StandardCharsets;

import org.apache.kafka.clients.consumer.ConsumerRecord;

import dev.posthaste.schemas.MessageHeaders;

/**
 * How wide a lane is.
 *
 * @param strands most chunks at a time
 * @param chunkMax most records of a chunk
 */
record LaneWidth(int strands, int chunkMax) {

    /** Fewer would leave strands without work where a few keys come often. */
    private static final int SHARED_MIN = 200;

    /** Most unfinished records that strands have. */
    int inHandMax() {
        return strands == 1 ? chunkMax : Math.max(strands * chunkMax, SHARED_MIN);
    }

    /** Beyond so many unfinished ones no more is fetched for the partition. */
    int recordsMax() {
        return Math.max(inHandMax(), SHARED_MIN);
    }

    /**
     * Which strand is a record's, from 0: by the key; without one by the message, so that one that is on the partition
     * twice has one strand. Not by the hash that Kafka chooses the partition with: in one partition that one leaves few
     * different remainders.
     */
    int strandOf(ConsumerRecord<byte[], byte[]> record) {
        if (strands == 1) {
            return 0;
        }
        byte[] key = record.key() == null ? messageOf(record) : record.key();
        int hash = 0;
        for (byte b : key) {
            hash = 31 * hash + b;
        }
        return Math.floorMod((hash * 0x9E3779B9) >>> 8, strands);
    }

    private static byte[] messageOf(ConsumerRecord<byte[], byte[]> record) {
        String id = Envelope.text(record.headers(), MessageHeaders.CE_ID);
        return (id == null ? Long.toString(record.offset()) : id).getBytes(StandardCharsets.UTF_8);
    }
}
