package dev.posthaste.schemas.catalog;

/** What a dead letter does to the later messages of its key, for a handler with order per key. */
public enum OnDeadLetter {
    /** They wait until it is replayed or discarded. */
    BLOCK,
    /** They go on. */
    PASS
}
