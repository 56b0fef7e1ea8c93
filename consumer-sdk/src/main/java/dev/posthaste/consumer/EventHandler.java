package dev.posthaste.consumer;

/**
 * What a handler does with a message.
 *
 * @param <T> what the payload was read into
 */
@FunctionalInterface
public interface EventHandler<T> {

    /**
     * Brings the effect about, on the transaction given. Messages of one partition come one after the other, in order;
     * those of several partitions come at the same time, from several threads.
     *
     * @throws Exception anything: the transaction is rolled back and the attempt has failed. The message is tried again
     *     later, or is a dead letter if this was the last attempt or the exception is {@linkplain Handler#permanent
     *     permanent}
     */
    void handle(Event<T> event, Transaction tx) throws Exception;
}
