package dev.posthaste.consumer.internal;

import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.posthaste.consumer.StopReason;
import dev.posthaste.consumer.StoppedPartition;

/**
 * One partition of one handler while it is assigned to us: its records are run in order, a chunk at a time, on a thread
 * of the handler's pool. The loop's thread feeds it and asks how far it is. Thread-safe.
 */
final class Lane implements Runnable {

    private static final Logger LOG = LoggerFactory.getLogger(Lane.class);

    /** Beyond either, no more is fetched for the partition until it has worked off some. */
    private static final int WAITING_RECORDS_MAX = 200;

    private static final long WAITING_BYTES_MAX = 4L * 1024 * 1024;

    /** A record that somebody else stands before is tried again this soon. */
    private static final Duration HELD_PAUSE = Duration.ofMillis(500);

    private final String handler;
    private final TopicPartition partition;
    private final ChunkRunner runner;
    private final int chunkMax;
    private final Executor workers;
    private final StoreGate gate;
    private final Clock clock;

    private final Deque<ConsumerRecord<byte[], byte[]>> waiting = new ArrayDeque<>();
    private long waitingBytes;
    private long finishedOffset = -1;
    private boolean started;
    private boolean running;
    private boolean closed;
    private @Nullable StoppedPartition stopped;
    private @Nullable StoppedPartition held;
    private long heldUntilNanos;

    /**
     * So many of the first records that are not finished yet may have ended the process that had this partition before:
     * all that it had in hand. Its last offsets may not have been committed, so finished ones may come before them.
     */
    private int suspects;

    Lane(
            String handler,
            TopicPartition partition,
            ChunkRunner runner,
            int chunkMax,
            Executor workers,
            StoreGate gate,
            Clock clock) {
        this.handler = handler;
        this.partition = partition;
        this.runner = runner;
        this.chunkMax = chunkMax;
        this.workers = workers;
        this.gate = gate;
        this.clock = clock;
        this.suspects = chunkMax;
    }

    TopicPartition partition() {
        return partition;
    }

    /** It is known where to begin. */
    synchronized void start() {
        started = true;
    }

    synchronized boolean isStarted() {
        return started;
    }

    synchronized void add(List<ConsumerRecord<byte[], byte[]>> records) {
        for (ConsumerRecord<byte[], byte[]> record : records) {
            waiting.add(record);
            waitingBytes += size(record);
        }
    }

    /** Whether the loop should fetch for it. */
    synchronized boolean wantsMore() {
        return started && stopped == null && waiting.size() < WAITING_RECORDS_MAX && waitingBytes < WAITING_BYTES_MAX;
    }

    /** Runs the next chunk soon, if there is one and nothing stands against it. */
    synchronized void wake() {
        if (!running && !closed && started && stopped == null && !waiting.isEmpty() && gate.isOpen() && !isHeld()) {
            running = true;
            workers.execute(this);
        }
    }

    private boolean isHeld() {
        return heldUntilNanos != 0 && System.nanoTime() - heldUntilNanos < 0;
    }

    @Override
    public void run() {
        finish(runNextChunk());
    }

    private ChunkResult runNextChunk() {
        try {
            return runner.run(nextChunk(), isSuspect());
        } catch (RuntimeException | Error e) { // a fault of ours must stand still visibly as well
            return new ChunkResult(
                    0,
                    new ChunkResult.Failed(new ChunkResult.Failure(
                            null,
                            StopReason.HANDLER_FAILED,
                            e.getClass().getName(),
                            "a fault in the SDK: " + ErrorSummary.of(e, new byte[0]))));
        }
    }

    private synchronized boolean isSuspect() {
        return suspects > 0;
    }

    private synchronized List<ConsumerRecord<byte[], byte[]>> nextChunk() {
        return waiting.stream().limit(chunkMax).toList();
    }

    private synchronized void finish(ChunkResult result) {
        for (int i = 0; i < result.finished(); i++) {
            ConsumerRecord<byte[], byte[]> record = waiting.remove();
            waitingBytes -= size(record);
            finishedOffset = record.offset() + 1;
        }
        suspects -= Math.min(suspects, result.begun());
        running = false;
        held = null;
        heldUntilNanos = 0;
        notifyAll();
        if (result.ending() instanceof ChunkResult.StoreAway away) {
            gate.failed(away.cause());
        } else if (result.ending() instanceof ChunkResult.Failed failed) {
            fail(failed.failure());
        } else if (result.ending() instanceof ChunkResult.Busy busy) {
            heldUntilNanos = System.nanoTime() + HELD_PAUSE.toNanos();
            LOG.debug(
                    "{} waits for message {}, which {} has until {}",
                    partition,
                    busy.messageId(),
                    busy.owner(),
                    busy.until());
        } else if (result.ending() instanceof ChunkResult.Full full) {
            hold(full);
        } else if (result.ending() instanceof ChunkResult.Done) {
            gate.succeeded();
        }
        wake();
    }

    private void hold(ChunkResult.Full full) {
        heldUntilNanos = System.nanoTime() + HELD_PAUSE.toNanos();
        held = new StoppedPartition(
                handler,
                partition.topic(),
                partition.partition(),
                waiting.element().offset(),
                full.messageId(),
                StopReason.KEY_FULL,
                null,
                "as many messages wait behind an earlier one of its key as waitingMax allows; it goes on by itself once"
                        + " that one is completed, replayed or discarded",
                clock.instant());
    }

    private void fail(ChunkResult.Failure failure) {
        if (closed) {
            return; // it belongs to another member by now, which will find out for itself
        }
        stop(new StoppedPartition(
                handler,
                partition.topic(),
                partition.partition(),
                waiting.element().offset(),
                failure.messageId(),
                failure.reason(),
                failure.errorClass(),
                failure.summary(),
                clock.instant()));
    }

    /** Stands still from now on, visibly; said once. */
    synchronized void stop(StoppedPartition why) {
        if (stopped == null) {
            stopped = why;
            LOG.error(
                    "handler {} stands still on {} at offset {}, message {}: {}. It is tried again when the consumer is"
                            + " started again.",
                    handler,
                    partition,
                    why.offset(),
                    why.messageId(),
                    why.summary());
        }
    }

    synchronized Optional<StoppedPartition> stopped() {
        return Optional.ofNullable(stopped == null ? held : stopped);
    }

    /** The offset after the last finished record, all before it being finished too; -1 before the first. */
    synchronized long finishedOffset() {
        return finishedOffset;
    }

    /** Whether everything it was given is finished. */
    synchronized boolean isIdle() {
        return started && !running && waiting.isEmpty() && stopped == null;
    }

    /** Takes no further chunk. */
    synchronized void close() {
        closed = true;
    }

    /** Waits for the chunk in hand; false if it takes longer than that. */
    synchronized boolean awaitChunk(Duration bound) {
        long deadline = System.nanoTime() + bound.toNanos();
        while (running) {
            long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            if (left <= 0) {
                return false;
            }
            try {
                wait(left);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
        return true;
    }

    private static long size(ConsumerRecord<byte[], byte[]> record) {
        return Math.max(record.serializedValueSize(), 0);
    }
}
