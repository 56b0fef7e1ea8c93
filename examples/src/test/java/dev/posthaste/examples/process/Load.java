package dev.posthaste.examples.process;

import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

import static org.assertj.core.api.Assertions.assertThat;

/** Commits numbered messages in small transactions until it is stopped. Its one thread belongs to it. */
final class Load implements AutoCloseable {

    private static final int ROWS = 3;
    private static final long PAUSE_MILLIS = 5;

    private final ProcessOutbox outbox;
    private final ScheduledExecutorService writer =
            Executors.newSingleThreadScheduledExecutor(task -> new Thread(task, "load"));
    private int last;
    private @Nullable RuntimeException failure;

    private Load(ProcessOutbox outbox, int last) {
        this.outbox = outbox;
        this.last = last;
    }

    /** Begins after the last number there is. */
    static Load start(ProcessOutbox outbox, int last) {
        Load load = new Load(outbox, last);
        var unused = load.writer.scheduleWithFixedDelay(load::write, 0, PAUSE_MILLIS, TimeUnit.MILLISECONDS);
        return load;
    }

    private void write() {
        try {
            outbox.insert(last + 1, last + ROWS);
            last += ROWS;
        } catch (RuntimeException e) {
            failure = e;
            throw e;
        }
    }

    /** Stops it; returns the last number committed. */
    int stop() throws InterruptedException {
        writer.shutdown();
        assertThat(writer.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
        assertThat(failure).isNull();
        assertThat(last).isPositive();
        return last;
    }

    @Override
    public void close() {
        writer.shutdownNow();
    }
}
