package dev.posthaste.consumer.internal;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

import dev.posthaste.consumer.StoppedPartition;

/**
 * The records of some keys of a lane: run in order, a chunk at a time, on a thread of the handler's pool. A key has one
 * strand, so its order is the partition's. Everything but {@link #run()} is for its lane, inside the lane's monitor.
 */
final class Strand implements Runnable {

    /** A record that somebody else stands before is tried again this soon. */
    private static final Duration HELD_PAUSE = Duration.ofMillis(500);

    private final Lane lane;
    private final Deque<Slot> waiting = new ArrayDeque<>();
    private boolean running;
    private volatile boolean probing; // read on the pool's thread
    private long heldUntilNanos;
    private @Nullable StoppedPartition held;

    Strand(Lane lane) {
        this.lane = lane;
    }

    /** A record's place in its lane. */
    static final class Slot {

        final ConsumerRecord<byte[], byte[]> record;

        /** It may have ended the process that had the partition before. */
        final boolean suspect;

        Slot(ConsumerRecord<byte[], byte[]> record, boolean suspect) {
            this.record = record;
            this.suspect = suspect;
        }

        long bytes() {
            return Math.max(record.serializedValueSize(), 0);
        }
    }

    @Override
    public void run() {
        lane.runNextChunk(this);
    }

    void add(Slot slot) {
        waiting.add(slot);
    }

    /** Whether it has something to run now. */
    boolean isReady() {
        return !running && !waiting.isEmpty() && (heldUntilNanos == 0 || System.nanoTime() - heldUntilNanos >= 0);
    }

    boolean isRunning() {
        return running;
    }

    /** Whether its next run is a probe of the breaker's. */
    void probes(boolean isProbe) {
        probing = isProbe;
    }

    boolean isProbing() {
        return probing;
    }

    void begin() {
        running = true;
    }

    void end() {
        running = false;
    }

    List<Slot> nextChunk(int max) {
        return waiting.stream().limit(max).toList();
    }

    Slot finishOne() {
        return waiting.remove();
    }

    long nextOffset() {
        return waiting.element().record.offset();
    }

    /** Nobody stands before it any more, as far as is known. */
    void release() {
        heldUntilNanos = 0;
        held = null;
    }

    /**
     * Waits a while before it goes on.
     *
     * @param why what is told of it meanwhile; null for nothing
     */
    void hold(@Nullable StoppedPartition why) {
        heldUntilNanos = System.nanoTime() + HELD_PAUSE.toNanos();
        held = why;
    }

    @Nullable
    StoppedPartition held() {
        return held;
    }
}
