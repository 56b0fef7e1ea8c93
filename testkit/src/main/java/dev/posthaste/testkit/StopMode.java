package dev.posthaste.testkit;

/** How PostgreSQL is asked to stop, in its own terms. */
public enum StopMode {
    /** Waits for every client to leave. */
    SMART("TERM"),
    /** Ends the clients' sessions and shuts down cleanly. */
    FAST("INT"),
    /** Shuts down without a checkpoint; the next start recovers from the WAL. */
    IMMEDIATE("QUIT");

    private final String signal;

    StopMode(String signal) {
        this.signal = signal;
    }

    String signal() {
        return signal;
    }
}
