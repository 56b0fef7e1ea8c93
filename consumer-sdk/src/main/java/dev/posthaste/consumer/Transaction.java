package dev.posthaste.consumer;

import java.sql.Connection;

/**
 * The database transaction in which a message is claimed, handled and completed. Whatever is written on its connection
 * is there if and only if the message is completed. Of use only inside the handler and on its thread.
 */
public interface Transaction {

    /**
     * The connection. It refuses {@code commit}, {@code rollback} (save to a savepoint), {@code setAutoCommit},
     * {@code close} and {@code abort}, and statements that end the transaction: that is the SDK's to do. Waiting for a
     * lock longer than {@link ConsumerSettings#lockTimeout()} fails the statement. It may be a pool's: say {@code SET
     * LOCAL}, for what {@code SET} has set stays on it after the transaction.
     */
    Connection connection();

    /**
     * Which coming of the message this is.
     *
     * @throws IllegalStateException in a batch of several messages
     */
    Delivery delivery();
}
