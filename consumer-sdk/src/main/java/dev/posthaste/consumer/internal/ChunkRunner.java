package dev.posthaste.consumer.internal;

import java.util.ArrayList;
import java.util.List;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.posthaste.consumer.StopReason;
import dev.posthaste.consumer.inbox.InboxStore;
import dev.posthaste.consumer.inbox.TransactionEndedException;
import dev.posthaste.schemas.MessageHeaders;

/**
 * Runs a few records of one partition: all in one transaction, and one by one if that fails, so that a record that
 * cannot be handled holds up none of the others. Thread-safe.
 */
final class ChunkRunner implements Chunks {

    private static final Logger LOG = LoggerFactory.getLogger(ChunkRunner.class);

    private final String handler;
    private final Decoder decoder;
    private final SuspectRunner suspects;
    private final DeliveryTransaction transaction;
    private final @Nullable LeasedRunner leased;
    private final FailureRecorder failures;
    private final DeliveryMeters meters;
    private final Breaker breaker;
    private final boolean perKey;
    private final LostConnections lostConnections = new LostConnections();

    /**
     * Makes one.
     *
     * @param leased runs the messages of a leased handler; null for a transactional one
     */
    ChunkRunner(
            HandlerSetup setup,
            InboxStore inbox,
            DeliveryTransaction transaction,
            @Nullable LeasedRunner leased,
            FailureRecorder failures,
            DeliveryMeters meters) {
        this.handler = setup.handler();
        this.decoder = setup.decoder();
        this.suspects = new SuspectRunner(
                setup, inbox, failures, meters, task -> ending(transaction.run(List.of(task)), task, false));
        this.transaction = transaction;
        this.leased = leased;
        this.failures = failures;
        this.meters = meters;
        this.breaker = setup.breaker();
        this.perKey = setup.perKey();
    }

    @Override
    public ChunkResult run(List<ConsumerRecord<byte[], byte[]>> records, boolean suspect) {
        int markers = leadingMarkers(records);
        if (markers > 0) {
            return pass(records.subList(0, markers));
        }
        // The claim of a leased one is durable before its call: it needs no suspicion.
        if (leased == null && (suspect || records.stream().anyMatch(SuspectRunner::hasEndedItsProcess))) {
            return suspects.run(
                    records.stream().takeWhile(record -> !isMarker(record)).toList());
        }
        List<Task<?>> tasks = new ArrayList<>();
        for (ConsumerRecord<byte[], byte[]> record : records) {
            if (isMarker(record)) {
                break; // what comes before it is run first
            }
            try {
                tasks.add(decoder.decode(record));
            } catch (UnreadableException e) {
                if (tasks.isEmpty()) {
                    return finished(1, failures.unreadable(record, e));
                }
                break; // what comes before it is run first
            }
        }
        if (leased != null) {
            return call(leased, tasks);
        }
        DeliveryTransaction.Attempt together = transaction.run(tasks);
        boolean oneIsToBlame = !(together instanceof DeliveryTransaction.Committed
                || (together instanceof DeliveryTransaction.StoreAway away && !SqlErrors.isRefusal(away.cause()))
                || together instanceof DeliveryTransaction.Abandoned);
        return tasks.size() > 1 && oneIsToBlame && !isEnded(together)
                ? oneByOne(tasks)
                : finished(tasks.size(), ending(together, tasks.get(0), false));
    }

    @Override
    public ChunkResult probe(ConsumerRecord<byte[], byte[]> record) {
        try {
            if (isMarker(record)) {
                return pass(List.of(record));
            }
            Task<?> task = decoder.decode(record);
            return leased != null
                    ? call(leased, List.of(task))
                    : finished(1, ending(transaction.run(List.of(task)), task, true));
        } catch (UnreadableException e) {
            return finished(1, failures.unreadable(record, e));
        } finally {
            breaker.probeEnded();
        }
    }

    /** One by one they might all count as completed, and nobody would hear of it. */
    private static boolean isEnded(DeliveryTransaction.Attempt attempt) {
        return attempt instanceof DeliveryTransaction.HandlerFailed failed
                && failed.cause() instanceof TransactionEndedException;
    }

    private static ChunkResult call(LeasedRunner runner, List<Task<?>> tasks) {
        for (int i = 0; i < tasks.size(); i++) {
            ChunkResult.Ending ending = runner.run(tasks.get(i));
            if (!(ending instanceof ChunkResult.Done)) {
                return new ChunkResult(i, ending);
            }
        }
        return new ChunkResult(tasks.size(), new ChunkResult.Done());
    }

    private ChunkResult oneByOne(List<Task<?>> tasks) {
        for (int i = 0; i < tasks.size(); i++) {
            if (breaker.isOpen()) {
                return new ChunkResult(i, new ChunkResult.Paused());
            }
            ChunkResult.Ending ending = ending(transaction.run(List.of(tasks.get(i))), tasks.get(i), false);
            if (!(ending instanceof ChunkResult.Done)) {
                return new ChunkResult(i, ending);
            }
        }
        return new ChunkResult(tasks.size(), new ChunkResult.Done());
    }

    private ChunkResult.Ending ending(DeliveryTransaction.Attempt attempt, Task<?> first, boolean probe) {
        if (attempt instanceof DeliveryTransaction.Committed committed && committed.granted() > 0) {
            breaker.succeeded(committed.granted());
        }
        if (attempt instanceof DeliveryTransaction.StoreAway away) {
            return ChunkResult.away(first.event().id(), away.cause());
        }
        if (attempt instanceof DeliveryTransaction.Abandoned) {
            return new ChunkResult.Abandoned();
        }
        if (attempt instanceof DeliveryTransaction.HandlerFailed failed) {
            if (failed.cause() instanceof TransactionEndedException) {
                return ended(failed);
            }
            return failed(failed, probe);
        }
        if (attempt instanceof DeliveryTransaction.ConnectionLost lost) {
            return lost(lost.as(), probe);
        }
        if (attempt instanceof DeliveryTransaction.Contended contended) {
            return failures.contended(contended.task(), contended.run(), contended.cause());
        }
        if (attempt instanceof DeliveryTransaction.Unfinished unfinished) {
            return failures.unfinished(
                    unfinished.task().arrival(), unfinished.task().record(), unfinished.begun());
        }
        if (attempt instanceof DeliveryTransaction.Busy busy) {
            return new ChunkResult.Busy(
                    busy.task().event().id(),
                    String.valueOf(busy.by().owner()),
                    busy.by().until());
        }
        if (attempt instanceof DeliveryTransaction.Full full) {
            return new ChunkResult.Full(full.task().event().id());
        }
        return new ChunkResult.Done();
    }

    private ChunkResult.Ending failed(DeliveryTransaction.HandlerFailed failed, boolean probe) {
        return probe
                ? failures.failedProbe(failed.task(), failed.run(), failed.cause(), failed.trace())
                : failures.failed(failed.task(), failed.run(), failed.cause(), failed.trace());
    }

    /** Of a record that was alone in its transaction. */
    private ChunkResult.Ending lost(DeliveryTransaction.HandlerFailed lost, boolean probe) {
        if (lostConnections.isOfTheMessage(lost.task().arrival().id())) {
            return failed(lost, probe);
        }
        LOG.info(
                "handler {}: the connection was lost while message {} had it, though the database is there; it is tried"
                        + " again, and has failed if that happens {} times",
                handler,
                lost.task().event().id(),
                LostConnections.LOSSES_MAX);
        return new ChunkResult.Lost();
    }

    private static ChunkResult.Ending ended(DeliveryTransaction.HandlerFailed failed) {
        return new ChunkResult.Failed(new ChunkResult.Failure(
                failed.task().event().id(),
                StopReason.HANDLER_FAILED,
                failed.cause().getClass().getName(),
                "the handler failed on " + failed.task().event() + ": "
                        + failed.cause().getMessage()));
    }

    private static ChunkResult finished(int records, ChunkResult.Ending ending) {
        return new ChunkResult(ending instanceof ChunkResult.Done ? records : 0, ending);
    }

    /** Markers stand where the relay has set a message aside for this handler; an operator releases or discards it. */
    private ChunkResult pass(List<ConsumerRecord<byte[], byte[]>> markers) {
        if (perKey) {
            ChunkResult.Ending ending = failures.quarantined(markers.get(0));
            if (ending instanceof ChunkResult.Done) {
                meters.quarantined(1);
            }
            return finished(1, ending);
        }
        meters.quarantined(markers.size());
        return finished(markers.size(), new ChunkResult.Done());
    }

    private static boolean isMarker(ConsumerRecord<byte[], byte[]> record) {
        return record.value() == null && record.headers().lastHeader(MessageHeaders.QUARANTINED) != null;
    }

    private static int leadingMarkers(List<ConsumerRecord<byte[], byte[]>> records) {
        int markers = 0;
        while (markers < records.size() && isMarker(records.get(markers))) {
            markers++;
        }
        return markers;
    }
}
