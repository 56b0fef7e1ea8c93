package dev.posthaste.consumer.inbox;

import java.time.Duration;

/** What becomes of a delivery whose attempt failed. */
public sealed interface Fate {

    /** Another attempt, no earlier than after this delay. */
    record Retry(Duration delay) implements Fate {}

    /** No other attempt by itself: it is a dead letter until an operator replays or discards it. */
    record DeadLetter(String code) implements Fate {}
}
