package dev.posthaste.relay;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import dev.posthaste.relay.health.RelayMeters;

import static org.awaitility.Awaitility.await;

/** A relay in this process. */
final class RunningRelay implements AutoCloseable {

    private final Relay relay;
    private long lastFence;

    private RunningRelay(Relay relay) {
        this.relay = relay;
    }

    static RunningRelay start(RelaySettings settings) {
        RelayMeters meters = new RelayMeters(new SimpleMeterRegistry());
        Relay relay = new Relay(settings, "test-" + UUID.randomUUID(), Clock.systemUTC(), meters);
        relay.start();
        return new RunningRelay(relay);
    }

    Relay relay() {
        return relay;
    }

    RunningRelay awaitStreaming() {
        await().atMost(Duration.ofSeconds(30)).until(() -> relay.state() instanceof RelayState.Streaming);
        if (relay.state() instanceof RelayState.Streaming streaming) {
            lastFence = streaming.fence();
        }
        return this;
    }

    /** Waits until another term than the one that streamed last streams. */
    RunningRelay awaitRestart() {
        await().atMost(Duration.ofSeconds(30))
                .until(() -> relay.state() instanceof RelayState.Streaming streaming && streaming.fence() > lastFence);
        return awaitStreaming();
    }

    /** Waits until it stands by for that reason. */
    void awaitStandby(String note) {
        await().atMost(Duration.ofSeconds(30))
                .until(() -> relay.state() instanceof RelayState.Standby standby
                        && standby.note().contains(note));
    }

    HaltReason awaitHalted() {
        await().atMost(Duration.ofSeconds(30)).until(() -> relay.state() instanceof RelayState.Halted);
        return ((RelayState.Halted) relay.state()).reason();
    }

    /** Waits until it has looked once more and is halted still. */
    void awaitHaltedAgain() {
        Instant before = relay.state().since();
        await().atMost(Duration.ofSeconds(30))
                .until(() -> relay.state() instanceof RelayState.Halted halted
                        && halted.since().isAfter(before));
    }

    @Override
    public void close() throws InterruptedException {
        if (!relay.stop(Duration.ofSeconds(30))) {
            throw new IllegalStateException("the relay did not stop");
        }
    }
}
