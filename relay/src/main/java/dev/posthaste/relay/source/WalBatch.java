package dev.posthaste.relay.source;

import java.util.List;

/** What the source hands over at a time: a bounded number of events, to be acknowledged together once they are safe. */
public interface WalBatch {

    /** The events in order; may be empty, where only time has passed. */
    List<WalEvent> events();

    /** How far the slot may move once this batch is acknowledged. */
    Lsn acknowledges();

    /**
     * Lets the slot move up to {@link #acknowledges()}. To be called once, after every event of this and of all earlier
     * batches is safe.
     */
    void acknowledge() throws InterruptedException;
}
