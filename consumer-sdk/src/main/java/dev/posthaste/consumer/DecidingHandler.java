package dev.posthaste.consumer;

/**
 * What a handler does with a message, and what it says of it; see {@link EventHandler} for one that only does.
 *
 * @param <T> what the payload was read into
 */
@FunctionalInterface
public interface DecidingHandler<T> {

    /**
     * Brings the effect about, on the transaction given. With any outcome but {@link Outcome#done()} nothing of it
     * stays.
     *
     * @throws Exception anything: the transaction is rolled back and the attempt has failed
     */
    Outcome handle(Event<T> event, Transaction tx) throws Exception;
}
