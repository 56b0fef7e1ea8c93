package dev.posthaste.relay.source;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

import io.debezium.embedded.Connect;
import io.debezium.engine.DebeziumEngine;
import io.debezium.engine.DebeziumEngine.RecordCommitter;
import io.debezium.engine.RecordChangeEvent;
import io.debezium.engine.format.ChangeEventFormat;
import org.apache.kafka.connect.source.SourceRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the WAL with an embedded Debezium engine that has no stored offset and never restarts.
 *
 * <p>The engine polls on after a handler that returns, and restarts itself after an exception that it takes for a
 * passing one; both would let later offsets pass a failed batch. So nothing thrown by the listener reaches the engine:
 * the first failure is kept as the end of this source, and from then on every batch is dropped, unacknowledged, until
 * the owner closes it.
 *
 * <p>The thread {@code posthaste-source} runs the engine and belongs to this object; it ends with {@link #close()}.
 */
public final class DebeziumSource implements WalSource {

    private static final Logger log = LoggerFactory.getLogger(DebeziumSource.class);
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration CLOSE_RETRY = Duration.ofMillis(50);

    private final WalListener listener;
    private final RecordReader reader = new RecordReader(EngineProperties.TOPIC_PREFIX);
    private final TransactionTracker tracker;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final DebeziumEngine<RecordChangeEvent<SourceRecord>> engine;
    private final Thread thread;
    private final ReentrantLock batchInHand = new ReentrantLock();
    private Lsn acknowledged;

    private DebeziumSource(SourceSettings settings, Lsn streamStart, WalListener listener) {
        this.listener = listener;
        this.tracker = new TransactionTracker(streamStart);
        this.acknowledged = streamStart;
        this.engine = DebeziumEngine.create(ChangeEventFormat.of(Connect.class))
                .using(EngineProperties.of(settings))
                .using((DebeziumEngine.CompletionCallback) this::onCompletion)
                .notifying(this::onRecords)
                .build();
        this.thread = new Thread(engine, "posthaste-source");
        this.thread.setDaemon(true);
    }

    /**
     * Starts reading.
     *
     * @param streamStart the slot's confirmed position, read when nobody was streaming from it
     * @param listener takes the batches, one at a time, on a thread of the engine
     */
    public static DebeziumSource start(SourceSettings settings, Lsn streamStart, WalListener listener) {
        DebeziumSource source = new DebeziumSource(settings, streamStart, listener);
        source.thread.start();
        return source;
    }

    private void onCompletion(boolean success, String message, @Nullable Throwable error) {
        if (success) {
            ended.complete(null);
        } else {
            ended.completeExceptionally(error != null ? error : new IllegalStateException(message));
        }
    }

    private void onRecords(
            List<RecordChangeEvent<SourceRecord>> records, RecordCommitter<RecordChangeEvent<SourceRecord>> committer) {
        batchInHand.lock();
        try {
            if (ended.isDone()) {
                return;
            }
            listener.onBatch(new EngineBatch(records, committer));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            ended.completeExceptionally(e);
        } catch (Exception | Error e) {
            ended.completeExceptionally(e);
        } finally {
            batchInHand.unlock();
        }
    }

    @Override
    public CompletableFuture<Void> ended() {
        return ended;
    }

    @Override
    public void stop(Duration drain) {
        ended.complete(null);
        try {
            // From here on no batch begins; the one in hand may finish and be acknowledged.
            if (batchInHand.tryLock(drain.toMillis(), TimeUnit.MILLISECONDS)) {
                batchInHand.unlock();
            } else {
                log.warn(
                        "the batch in hand did not finish within {}; it is given up and will be published by whoever leads next",
                        drain);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        closeEngine();
    }

    private void closeEngine() {
        long deadline = System.nanoTime() + CLOSE_TIMEOUT.toNanos();
        try {
            // While its tasks start, the engine refuses to close, and would stream on.
            while (!closed() && thread.isAlive() && System.nanoTime() - deadline < 0) {
                thread.join(CLOSE_RETRY.toMillis());
            }
            thread.join(CLOSE_TIMEOUT.toMillis());
            if (thread.isAlive()) {
                log.warn(
                        "the engine did not stop within {}; it is interrupted and its walsender ended by whoever leads next",
                        CLOSE_TIMEOUT);
                thread.interrupt();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            thread.interrupt();
        }
    }

    private boolean closed() {
        try {
            engine.close();
            return true;
        } catch (IOException | IllegalStateException e) {
            log.debug("the engine did not close at once", e);
            return false;
        }
    }

    /** The records of one poll of the engine. */
    private final class EngineBatch implements WalBatch {
        private final List<RecordChangeEvent<SourceRecord>> records;
        private final RecordCommitter<RecordChangeEvent<SourceRecord>> committer;
        private final List<WalEvent> events;
        private final Lsn acknowledges;

        EngineBatch(
                List<RecordChangeEvent<SourceRecord>> records,
                RecordCommitter<RecordChangeEvent<SourceRecord>> committer) {
            this.records = records;
            this.committer = committer;
            this.events = new ArrayList<>(records.size() + 2);
            for (RecordChangeEvent<SourceRecord> event : records) {
                SourceRecord sourceRecord = event.record();
                tracker.lastCommit(reader.lastCommit(sourceRecord), events);
                if (reader.isOutboxRow(sourceRecord)) {
                    tracker.row(reader.xid(sourceRecord), reader.row(sourceRecord), events);
                }
            }
            this.acknowledges = tracker.lastEnd();
        }

        @Override
        public List<WalEvent> events() {
            return events;
        }

        @Override
        public Lsn acknowledges() {
            return acknowledges;
        }

        @Override
        public void acknowledge() throws InterruptedException {
            // Before the first COMMIT the engine would flush the place of a single row. A stream from there would see
            // other transaction borders than one from an older place of the slot; so the slot stays.
            if (acknowledged.isBefore(acknowledges)) {
                committer.markProcessed(records.get(records.size() - 1));
                committer.markBatchFinished();
                acknowledged = acknowledges;
            }
        }
    }
}
