package dev.posthaste.relay.source;

/** Takes the batches of a source, one after the other, on the source's thread. */
@FunctionalInterface
public interface WalListener {

    /**
     * Makes the batch safe and acknowledges it. Whatever it throws ends the source with that cause: no later batch is
     * handed over.
     */
    void onBatch(WalBatch batch) throws Exception;
}
