package dev.posthaste.chaos.check;

import java.util.UUID;

import dev.posthaste.chaos.history.Entry;

/** Whether everything that was committed has arrived. */
final class LossCheck implements Check {

    @Override
    public void judge(Facts facts, Findings findings) {
        for (Messages.Transaction transaction : facts.messages().transactions()) {
            boolean databaseDecides =
                    facts.run().expected().databaseMayLose() || transaction.result() == Entry.Result.UNKNOWN;
            if (databaseDecides && transaction.isTorn()) {
                transaction.messages().stream()
                        .filter(message -> message.mayBeSeen() && !message.stored())
                        .forEach(message -> findings.add(
                                Invariant.LOST, "the database has only a part of this message's transaction", message));
            }
        }
        for (Message message : facts.messages().all()) {
            if (message.isCommitted()) {
                findings.looked(Invariant.LOST, 1);
                judge(message, facts, findings);
            }
        }
    }

    private static void judge(Message message, Facts facts, Findings findings) {
        if (!message.stored()) {
            findings.add(Invariant.LOST, "the database has lost a committed message", message);
        }
        if (mayStillWait(message, facts)) {
            return;
        }
        UUID id = message.staged().id();
        for (String handler : facts.topics().keySet()) {
            if (message.staged().refused()) {
                requireSetAside(message, handler, facts, findings);
            } else if (!facts.topic(handler).hasMessage(id)) {
                String instead =
                        facts.isSetAside(id, handler) ? "set aside, though nothing is wrong with it, and " : "";
                findings.add(
                        Invariant.LOST,
                        "a committed message is " + instead + "not on the topic of handler " + handler,
                        message);
            }
        }
    }

    private static void requireSetAside(Message message, String handler, Facts facts, Findings findings) {
        UUID id = message.staged().id();
        if (!facts.topic(handler).hasMessage(id) && !facts.isSetAside(id, handler)) {
            findings.add(Invariant.LOST, "a refused message is not set aside for handler " + handler, message);
        }
    }

    /**
     * A halted relay leaves what waits; but one Kafka transaction holds all copies, so some without the others do not.
     */
    private static boolean mayStillWait(Message message, Facts facts) {
        return facts.isHaltExpected()
                && message.stored()
                && !facts.isOnAnyTopic(message.staged().id());
    }
}
