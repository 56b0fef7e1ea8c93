package dev.posthaste.relay.source;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** A running reader of the WAL. It never restarts by itself: after any error there is a new source, or none. */
public interface WalSource extends AutoCloseable {

    /**
     * Ends when the source does: normally after {@link #close()}, else exceptionally with the cause, be it of the
     * engine or of the listener.
     */
    CompletableFuture<Void> ended();

    /**
     * Lets the batch in hand finish within the bound, begins no other, ends the walsender and waits for the end within
     * a bound of its own. Idempotent.
     */
    void stop(Duration drain);

    /** Stops without waiting for the batch in hand. */
    @Override
    default void close() {
        stop(Duration.ZERO);
    }
}
