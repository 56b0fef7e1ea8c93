package dev.posthaste.consumer.internal;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Writes what came of a leased call, again and again while the store is away: the call has been made, and nobody else
 * knows. After the end of a drain it does so for a bounded time, or not at all where that is allowed. Thread-safe.
 */
final class TerminalWrites {

    /** So long it tries after the end of a drain. */
    static final Duration BOUND_AFTER_DRAIN = Duration.ofSeconds(5);

    private static final long LOOK_MILLIS = 20;

    private final StoreGate gate;
    private final boolean mayBeAborted;
    private final BooleanSupplier drainOver;

    /**
     * Makes one.
     *
     * @param mayBeAborted whether the end of a drain ends it
     * @param drainOver whether the time of a drain is over; the thread that writes is interrupted then
     */
    TerminalWrites(StoreGate gate, boolean mayBeAborted, BooleanSupplier drainOver) {
        this.gate = gate;
        this.mayBeAborted = mayBeAborted;
        this.drainOver = drainOver;
    }

    /** Writes; its result is {@link ChunkResult.Abandoned} if it was given up. */
    ChunkResult.Ending until(Supplier<ChunkResult.Ending> write) {
        boolean interrupted = Thread.interrupted(); // a pool would give no connection
        long deadline = 0;
        try {
            while (true) {
                if (deadline == 0 && drainOver.getAsBoolean()) {
                    deadline = System.nanoTime() + BOUND_AFTER_DRAIN.toNanos();
                }
                if (deadline != 0 && (mayBeAborted || System.nanoTime() - deadline > 0)) {
                    return new ChunkResult.Abandoned();
                }
                ChunkResult.Ending ending = write.get();
                if (ending instanceof ChunkResult.StoreAway away) {
                    gate.failed(away.cause());
                } else if (!(ending
                        instanceof ChunkResult.Busy)) { // by another transaction: the call is not made again
                    return ending;
                }
                interrupted |= awaitGate(deadline);
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Until the store may be tried again, or the time is up; true if interrupted: the drain is over. */
    private boolean awaitGate(long deadline) {
        CountDownLatch never = new CountDownLatch(1);
        try {
            while (!gate.isOpen() && (deadline == 0 || System.nanoTime() - deadline < 0)) {
                var unused = never.await(LOOK_MILLIS, TimeUnit.MILLISECONDS);
            }
            return false;
        } catch (InterruptedException e) {
            return true;
        }
    }
}
