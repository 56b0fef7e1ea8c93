package dev.posthaste.consumer.internal;

import dev.posthaste.consumer.Event;
import dev.posthaste.consumer.EventHandler;
import dev.posthaste.consumer.Transaction;

/** A message read from a record, with the function that handles it. */
record Delivery<T>(Event<T> event, EventHandler<T> function, long offset) {

    void run(Transaction transaction) throws Exception {
        function.handle(event, transaction);
    }
}
