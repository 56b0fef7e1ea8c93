package dev.posthaste.relay.source;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** The engine's side of {@link DebeziumSource}, without the engine: the same tracker, fed in the same way. */
public final class ModelSource {

    private final TransactionTracker tracker;
    private final Consumer<Lsn> flush;
    private Lsn acknowledged;

    /**
     * What the engine hands over.
     *
     * @param lastCommit end of the last commit, or of the last message outside transactions, since the stream began;
     *     null before the first
     * @param row null: a heartbeat or a logical message
     */
    public record EngineRecord(Lsn lastCommit, long xid, OutboxRow row) {}

    /** Begins a stream; {@code flush} is told what the engine would flush. */
    public ModelSource(Lsn streamStart, Consumer<Lsn> flush) {
        this.tracker = new TransactionTracker(streamStart);
        this.flush = flush;
        this.acknowledged = streamStart;
    }

    /** The records of one poll. */
    public WalBatch batch(List<EngineRecord> records) {
        List<WalEvent> events = new ArrayList<>();
        for (EngineRecord engineRecord : records) {
            tracker.lastCommit(engineRecord.lastCommit(), events);
            if (engineRecord.row() != null) {
                tracker.row(engineRecord.xid(), engineRecord.row(), events);
            }
        }
        Lsn acknowledges = tracker.lastEnd();
        Lsn engineFlushes = records.get(records.size() - 1).lastCommit();
        return new WalBatch() {
            @Override
            public List<WalEvent> events() {
                return events;
            }

            @Override
            public Lsn acknowledges() {
                return acknowledges;
            }

            @Override
            public void acknowledge() {
                if (acknowledged.isBefore(acknowledges)) {
                    acknowledged = acknowledges;
                    flush.accept(engineFlushes);
                }
            }
        };
    }
}
