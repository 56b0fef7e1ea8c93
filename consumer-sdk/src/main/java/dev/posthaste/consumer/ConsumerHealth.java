package dev.posthaste.consumer;

import java.util.List;

/**
 * How a {@link PosthasteConsumer} is, at one moment. Immutable.
 *
 * @param inboxAvailable whether the last try to use the database succeeded
 * @param handlers how each handler is
 */
public record ConsumerHealth(boolean inboxAvailable, List<HandlerHealth> handlers) {

    /** Copies the list. */
    public ConsumerHealth {
        handlers = List.copyOf(handlers);
    }

    /** Whether messages flow: both stores are there and no partition stands still. */
    public boolean isReady() {
        return inboxAvailable
                && handlers.stream()
                        .allMatch(handler -> handler.running()
                                && handler.kafkaAvailable()
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
     * @param kafkaAvailable whether it is a live member of its group
     * @param partitions how many partitions are its own
     * @param stopped those of them that stand still
     * @param hung messages on which it has worked for longer than {@link ConsumerSettings#hungAfter()}, or whose lease
     *     has ended meanwhile; others go on, so this alone does not make it unready
     */
    public record HandlerHealth(
            String handler,
            boolean running,
            boolean kafkaAvailable,
            int partitions,
            List<StoppedPartition> stopped,
            List<HungDelivery> hung) {
        /** Copies the lists. */
        public HandlerHealth {
            stopped = List.copyOf(stopped);
            hung = List.copyOf(hung);
        }
    }
}
