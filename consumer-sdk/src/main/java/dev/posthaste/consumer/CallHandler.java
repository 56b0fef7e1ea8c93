package dev.posthaste.consumer;

/**
 * What a leased handler does with a message: a call to a provider, or long work, outside any transaction.
 *
 * @param <T> what the payload was read into
 */
@FunctionalInterface
public interface CallHandler<T> {

    /**
     * Makes the call, with {@link Call#idempotencyKey()}. It is made at least once: again if its answer got lost, its
     * process died or it took longer than it may. Then its thread is interrupted, and its outcome is refused.
     *
     * @throws Exception anything: the attempt has failed
     */
    Outcome call(Event<T> event, Call call) throws Exception;
}
