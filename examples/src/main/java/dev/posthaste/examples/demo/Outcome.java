package dev.posthaste.examples.demo;

import java.util.List;

/**
 * What came out, read from the tables and the topics after everything is still.
 *
 * @param committed messages in {@code outbox.message}
 * @param loans rows of the business table; as many as messages, or a transaction was torn
 * @param rolledBack messages staged and then rolled back, with their transaction or to a savepoint
 * @param rolledBackSeen how many of those are anywhere they must not be
 * @param unproved messages without evidence
 * @param handlers one for each handler
 */
record Outcome(
        long committed,
        long loans,
        long rolledBack,
        long rolledBackSeen,
        long unproved,
        List<HandlerOutcome> handlers) {

    /**
     * What came out at one handler.
     *
     * @param onTopic different messages on the topic
     * @param effects rows that the handler wrote
     * @param duplicatesOnTopic records beyond the first of their message
     * @param missing messages of the outbox that are not on the topic, or without effect
     * @param outOfOrder records and effects that come before an earlier one of their key
     */
    record HandlerOutcome(
            String handler, long onTopic, long effects, long duplicatesOnTopic, long missing, long outOfOrder) {

        boolean isRight(long committed) {
            return onTopic == committed
                    && effects == committed
                    && duplicatesOnTopic == 0
                    && missing == 0
                    && outOfOrder == 0;
        }
    }

    /** Whether committed = on the topic = effects everywhere, and the rest is 0. */
    boolean isRight() {
        return committed > 0
                && loans == committed
                && rolledBackSeen == 0
                && unproved == 0
                && handlers.stream().allMatch(handler -> handler.isRight(committed));
    }
}
