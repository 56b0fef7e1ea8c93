package dev.posthaste.consumer;

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * How a {@link PosthasteConsumer} is, at one moment. Immutable.
 *
 * @param inboxAvailable whether the last try to use the database succeeded
 * @param inboxProblem why it failed, and what to do where that is known; null if it succeeded
 * @param handlers how each handler is
 */
public record ConsumerHealth(
        boolean inboxAvailable, @Nullable String inboxProblem, List<HandlerHealth> handlers) {

    /** Copies the list. */
    public ConsumerHealth {
        handlers = List.copyOf(handlers);
    }

    /**
     * Whether messages flow: both stores are there, no partition stands still and no handler pauses. A retry topic that
     * cannot be read, and records that cannot be put on a retry or dead-letter topic, change nothing about it: new
     * messages do not wait for them.
     */
    public boolean isReady() {
        return inboxAvailable
                && handlers.stream()
                        .allMatch(handler -> handler.running()
                                && handler.kafkaAvailable()
                                && handler.breaker() == null
                                && handler.stopped().isEmpty());
    }

    /** Every partition that stands still. */
    public List<StoppedPartition> stopped() {
        return handlers.stream().flatMap(handler -> handler.stopped().stream()).toList();
    }

    /** Every message whose handler has not come back for a long time. */
    public List<HungDelivery> hung() {
        return handlers.stream().flatMap(handler -> handler.hung().stream()).toList();
    }

    /**
     * How one handler is.
     *
     * @param handler its name
     * @param running whether its thread runs: after start and before the end of a drain
     * @param kafkaAvailable whether it is a live member of its topic's group
     * @param kafkaProblem why not, where that is known; else null
     * @param partitions the partitions that are its own, {@code <topic>-<number>}, those of its retry topic among them
     * @param stopped those of them that stand still
     * @param hung messages on which it has worked for longer than {@link ConsumerSettings#hungAfter()}, or whose lease
     *     has ended meanwhile; others go on, so this alone does not make it unready
     * @param breaker why it pauses; null while it does not
     * @param failingRoutes {@code retry}, {@code dead-letter}: whose topic does not take records now, and
     *     {@code retry-read}, if the retry topic is not read; they are kept and tried again
     */
    public record HandlerHealth(
            String handler,
            boolean running,
            boolean kafkaAvailable,
            @Nullable String kafkaProblem,
            List<String> partitions,
            List<StoppedPartition> stopped,
            List<HungDelivery> hung,
            @Nullable OpenBreaker breaker,
            List<String> failingRoutes) {
        /** Copies the lists. */
        public HandlerHealth {
            partitions = List.copyOf(partitions);
            stopped = List.copyOf(stopped);
            hung = List.copyOf(hung);
            failingRoutes = List.copyOf(failingRoutes);
        }
    }
}
