package dev.posthaste.consumer.internal;

/** Which share of the last attempts succeeded. Thread-safe. */
final class SuccessShare {

    private static final int ATTEMPTS = 100;

    private final boolean[] outcomes = new boolean[ATTEMPTS];
    private long count;

    synchronized void add(boolean success, int times) {
        for (int i = 0; i < Math.min(times, ATTEMPTS); i++) {
            outcomes[(int) (count % ATTEMPTS)] = success;
            count++;
        }
    }

    /** From 0 to 1; NaN before the first attempt. */
    synchronized double value() {
        int known = (int) Math.min(count, ATTEMPTS);
        int successes = 0;
        for (int i = 0; i < known; i++) {
            successes += outcomes[i] ? 1 : 0;
        }
        return known == 0 ? Double.NaN : (double) successes / known;
    }
}
