package dev.posthaste.relay;

import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits for an end, for a bounded time. */
final class Waiting {

    private Waiting() {}

    /** Whether the future is done, in whatever way, within the time. */
    static boolean isDone(CompletableFuture<?> future, Duration time) throws InterruptedException {
        try {
            future.get(time.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException | CancellationException e) {
            return true;
        }
        return true;
    }
}
