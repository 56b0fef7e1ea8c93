package dev.posthaste.consumer.internal;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.posthaste.consumer.StopReason;
import dev.posthaste.consumer.StoppedPartition;

/**
 * One partition of one handler while it is assigned to us: its records are divided by key into strands, which run at
 * the same time. The loop's thread feeds it and asks how far it is. Thread-safe.
 *
 * <p>Strands get only the first {@link LaneWidth#inHandMax} unfinished records. So whatever a process that ends has in
 * hand is among the first that many which the next one finds unfinished, though strands differ in how far they are:
 * others may finish, which moves a record forward, never back. These are the suspects; each is begun in a transaction
 * of its own, and so counted, before it is run.
 */
final class Lane {

    private static final Logger LOG = LoggerFactory.getLogger(Lane.class);

    private static final long BYTES_MAX = 4L * 1024 * 1024;

    /** Finished records behind an unfinished one are run through again, and skipped, after a crash: not too many. */
    private static final int FINISHED_AHEAD_MAX = 10_000;

    private final String handler;
    private final TopicPartition partition;
    private final Chunks runner;
    private final LaneWidth width;
    private final Executor workers;
    private final StoreGate gate;
    private final Breaker breaker;
    private final Clock clock;
    private final List<Strand> strands;

    /** Fetched and with no strand yet. */
    private final Deque<ConsumerRecord<byte[], byte[]>> waiting = new ArrayDeque<>();

    /** Offsets that strands have or have finished, from the first that is not finished. */
    private final Deque<Long> inOrder = new ArrayDeque<>();

    private final Set<Long> finishedAhead = new HashSet<>();

    /** The strand that is asked first: the one after that which has probed last, so that each has its turn. */
    private int first;

    private int unfinished;
    private long unfinishedBytes;
    private long finishedOffset = -1;
    private boolean started;
    private boolean closed;
    private @Nullable StoppedPartition stopped;

    /** So many records that were not finished before may still come which the process before had in hand. */
    private int suspects;

    Lane(
            String handler,
            TopicPartition partition,
            Chunks runner,
            LaneWidth width,
            Executor workers,
            StoreGate gate,
            Breaker breaker,
            Clock clock) {
        this.handler = handler;
        this.partition = partition;
        this.runner = runner;
        this.width = width;
        this.workers = workers;
        this.gate = gate;
        this.breaker = breaker;
        this.clock = clock;
        this.suspects = width.inHandMax();
        this.strands =
                Stream.generate(() -> new Strand(this)).limit(width.strands()).toList();
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
            unfinishedBytes += Math.max(record.serializedValueSize(), 0);
        }
        distribute();
    }

    /** Whether the loop should fetch for it. */
    synchronized boolean wantsMore() {
        return started
                && stopped == null
                && waiting.size() + unfinished < width.recordsMax()
                && unfinishedBytes < BYTES_MAX
                && finishedAhead.size() < FINISHED_AHEAD_MAX;
    }

    private void distribute() {
        while (unfinished < width.inHandMax() && !waiting.isEmpty()) {
            ConsumerRecord<byte[], byte[]> record = waiting.remove();
            // All before it have been given out: it is none of the first if enough of them were not finished before.
            strands.get(width.strandOf(record)).add(new Strand.Slot(record, suspects > 0));
            inOrder.add(record.offset());
            unfinished++;
        }
    }

    /** Runs the next chunks soon, where there are some and nothing stands against it. */
    synchronized void wake() {
        int begin = first;
        for (int i = 0; i < strands.size(); i++) {
            int next = (begin + i) % strands.size();
            Strand strand = strands.get(next);
            if (strand.isReady() && !closed && started && stopped == null && isPermitted(strand)) {
                first = strand.isProbing() ? next + 1 : first;
                strand.begin();
                workers.execute(strand);
            }
        }
    }

    /** By the breaker and by the store's gate; asked last, since each may let only one of many try. */
    private boolean isPermitted(Strand strand) {
        Breaker.Permit permit = breaker.permit(partition);
        strand.probes(permit == Breaker.Permit.PROBE);
        if (permit != Breaker.Permit.NONE && gate.mayTry()) {
            return true;
        }
        if (strand.isProbing()) {
            breaker.probeEnded();
        }
        return false;
    }

    /** On a thread of the pool. */
    void runNextChunk(Strand strand) {
        finish(strand, resultOf(strand, nextChunk(strand)));
    }

    private synchronized List<Strand.Slot> nextChunk(Strand strand) {
        return strand.nextChunk(width.chunkMax());
    }

    private ChunkResult resultOf(Strand strand, List<Strand.Slot> chunk) {
        try {
            return strand.isProbing()
                    ? runner.probe(chunk.get(0).record)
                    : runner.run(
                            chunk.stream().map(slot -> slot.record).toList(),
                            chunk.stream().anyMatch(slot -> slot.suspect));
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

    private synchronized void finish(Strand strand, ChunkResult result) {
        for (int i = 0; i < result.finished(); i++) {
            Strand.Slot slot = strand.finishOne();
            unfinished--;
            unfinishedBytes -= slot.bytes();
            finishedAhead.add(slot.record.offset());
        }
        moveOn();
        suspects -= Math.min(suspects, result.begun());
        distribute();
        strand.end();
        StoppedPartition heldBefore = strand.held();
        strand.release();
        notifyAll();
        if (result.ending() instanceof ChunkResult.StoreAway away) {
            gate.failed(away.cause());
        } else if (result.ending() instanceof ChunkResult.Failed failed) {
            fail(strand, failed.failure());
        } else if (result.ending() instanceof ChunkResult.Busy busy) {
            strand.hold(null);
            LOG.debug(
                    "{} waits for message {}, which {} has until {}",
                    partition,
                    busy.messageId(),
                    busy.owner(),
                    busy.until());
        } else if (result.ending() instanceof ChunkResult.Lost) {
            strand.hold(null);
        } else if (result.ending() instanceof ChunkResult.Full full) {
            strand.hold(keyFull(strand, full, heldBefore));
        }
        if (answers(result.ending())) {
            gate.succeeded();
        }
        wake();
    }

    /** Nothing is finished but behind what is finished without a gap. */
    private void moveOn() {
        while (!inOrder.isEmpty() && finishedAhead.remove(inOrder.element())) {
            finishedOffset = inOrder.remove() + 1;
        }
    }

    /** Whether the database has answered. */
    private static boolean answers(ChunkResult.Ending ending) {
        return ending instanceof ChunkResult.Done
                || ending instanceof ChunkResult.Busy
                || ending instanceof ChunkResult.Lost
                || ending instanceof ChunkResult.Full;
    }

    /** Said once for each message. */
    private StoppedPartition keyFull(Strand strand, ChunkResult.Full full, @Nullable StoppedPartition before) {
        boolean isNews = before == null || !Objects.equals(before.messageId(), full.messageId());
        Instant since = before == null || isNews ? clock.instant() : before.since();
        StoppedPartition held = stopped(
                strand,
                new ChunkResult.Failure(
                        full.messageId(),
                        StopReason.KEY_FULL,
                        null,
                        "as many messages wait behind an earlier one of its key as waitingMax allows; it goes on by"
                                + " itself once that one is completed, replayed or discarded"),
                since);
        if (isNews) {
            LOG.warn(
                    "handler {} holds {} at offset {}, message {}: {}",
                    handler,
                    partition,
                    held.offset(),
                    held.messageId(),
                    held.summary());
        }
        return held;
    }

    private void fail(Strand strand, ChunkResult.Failure failure) {
        if (closed) {
            // It belongs to another member by now, which finds out for itself, but not about an effect that stayed.
            if (failure.reason() == StopReason.HANDLER_FAILED) {
                LOG.error(
                        "handler {} failed on {} at offset {}, message {}, while that was given away: {}",
                        handler,
                        partition,
                        strand.nextOffset(),
                        failure.messageId(),
                        failure.summary());
            }
            return;
        }
        stop(stopped(strand, failure, clock.instant()));
    }

    private StoppedPartition stopped(Strand strand, ChunkResult.Failure failure, Instant since) {
        return new StoppedPartition(
                handler,
                partition.topic(),
                partition.partition(),
                strand.nextOffset(),
                failure.messageId(),
                failure.reason(),
                failure.errorClass(),
                failure.summary(),
                since);
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

    /** Why it stands still, or the first of its strands that is held. */
    synchronized Optional<StoppedPartition> stopped() {
        return stopped != null
                ? Optional.of(stopped)
                : strands.stream()
                        .map(Strand::held)
                        .filter(Objects::nonNull)
                        .min(Comparator.comparingLong(StoppedPartition::offset));
    }

    /** The offset after the last finished record, all before it being finished too; -1 before the first. */
    synchronized long finishedOffset() {
        return finishedOffset;
    }

    /** Whether everything it was given is finished. */
    synchronized boolean isIdle() {
        return started && waiting.isEmpty() && unfinished == 0 && !isRunning() && stopped == null;
    }

    /** Takes no further chunk. */
    synchronized void close() {
        closed = true;
    }

    private boolean isRunning() {
        return strands.stream().anyMatch(Strand::isRunning);
    }

    /** Waits for the chunks in hand; false if they take longer than that. */
    synchronized boolean awaitChunks(Duration bound) {
        long deadline = System.nanoTime() + bound.toNanos();
        while (isRunning()) {
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
}
