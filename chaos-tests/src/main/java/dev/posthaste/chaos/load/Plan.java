package dev.posthaste.chaos.load;

import java.time.Duration;
import java.util.List;

/**
 * A transaction to be made. Immutable.
 *
 * @param messages in the order in which they are inserted
 * @param rollsBack whether it is rolled back on purpose
 * @param openFor how long it waits before it ends
 */
record Plan(List<Message> messages, boolean rollsBack, Duration openFor) {

    Plan {
        messages = List.copyOf(messages);
    }

    /**
     * A message to be made.
     *
     * @param undone whether it is inserted under a savepoint that is rolled back
     * @param refused whether it is of a type that no catalog knows
     */
    record Message(String key, int fillerBytes, boolean undone, boolean refused) {}
}
