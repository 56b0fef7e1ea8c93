package dev.posthaste.consumer;

import java.util.List;

/**
 * What a handler does with several messages at once, for effects that are cheaper together.
 *
 * <p>How many come together is not promised. After every start, and whenever a partition is given to another member,
 * the first messages of each partition come one by one, each in a list of its own: one of them may have ended the
 * process that had them before.
 *
 * @param <T> what the payloads were read into
 */
@FunctionalInterface
public interface BatchHandler<T> {

    /**
     * Brings all the effects about, on the transaction given. If it throws, nothing of them stays, and the messages
     * come again one by one, each in a list of its own.
     *
     * @param events at least one, at most {@link ConsumerSettings#chunkMax()}, in the partition's order
     * @throws Exception anything: the transaction is rolled back
     */
    void handleAll(List<Event<T>> events, Transaction tx) throws Exception;
}
