package dev.posthaste.consumer.internal;

import java.sql.Connection;

import org.jspecify.annotations.Nullable;

import dev.posthaste.consumer.Delivery;
import dev.posthaste.consumer.Transaction;

/** What a handler gets of the transaction. */
record HandlerTransaction(GuardedConnection guard, @Nullable Delivery single) implements Transaction {

    @Override
    public Connection connection() {
        return guard.connection();
    }

    @Override
    public Delivery delivery() {
        if (single == null) {
            throw new IllegalStateException("delivery() is of one message, but this is a batch of several");
        }
        return single;
    }
}
