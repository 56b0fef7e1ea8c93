package dev.posthaste.chaos.load;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** That the load is to end. Thread-safe. */
final class StopSignal {

    private final CountDownLatch given = new CountDownLatch(1);

    void give() {
        given.countDown();
    }

    boolean isGiven() {
        return given.getCount() == 0;
    }

    /** Waits that long, or until it is given; returns whether it is. */
    boolean await(long millis) {
        try {
            return given.await(millis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return true;
        }
    }
}
