package dev.posthaste.examples.process;

import java.io.IOException;
import java.time.Duration;

import dev.posthaste.testkit.faults.Signals;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The walsender of an outbox's slot under SIGSTOP: it takes no acknowledgement, so the slot stays. */
final class FrozenWalsender implements AutoCloseable {

    private final ProcessOutbox outbox;
    private final long pid;

    private FrozenWalsender(ProcessOutbox outbox, long pid) {
        this.outbox = outbox;
        this.pid = pid;
    }

    /** Freezes it, or skips the test where the server's processes may not be signalled from here. */
    static FrozenWalsender of(ProcessOutbox outbox) throws IOException, InterruptedException {
        long pid =
                outbox.number("SELECT active_pid FROM pg_replication_slots WHERE slot_name = '" + outbox.slot() + "'");
        assumeTrue(
                Signals.isSent("STOP", pid),
                "the walsender, process " + pid + ", may not be signalled from here: run as root or as its user");
        return new FrozenWalsender(outbox, pid);
    }

    /** Ends it before it does anything else, above all before it reads what it was sent. */
    void endUnthawed() throws IOException, InterruptedException {
        outbox.number("SELECT pg_terminate_backend(" + pid + ")::int");
        Signals.isSent("CONT", pid);
        await().atMost(Duration.ofSeconds(30))
                .until(() -> outbox.number("SELECT count(*) FROM pg_stat_activity WHERE pid = " + pid) == 0);
    }

    @Override
    public void close() throws IOException, InterruptedException {
        Signals.isSent("CONT", pid);
    }
}
