package dev.posthaste.relay;

/** Counts how often a batch was tried, across the terms of one process. Confined to one thread at a time. */
final class Attempts {

    private long batch = -1;
    private int count;

    /** The number of the attempt about to be made, from 1. */
    int next(long attemptedBatch) {
        count = attemptedBatch == batch ? count + 1 : 1;
        batch = attemptedBatch;
        return count;
    }

    /** The last attempt was ended by an outage, and does not count. */
    void takeBack() {
        count--;
    }
}
