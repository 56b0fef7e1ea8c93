package dev.posthaste.chaos.check;

import java.util.Map;

import dev.posthaste.chaos.history.Entry;

/**
 * Whether what a handler has given up is on its dead-letter topic once everything is drained: else nobody could find
 * it, and calling every message dead would excuse every missing effect.
 */
final class DeadLetterCheck implements Check {

    @Override
    public void judge(Facts facts, Findings findings) {
        if (!facts.isDrained()) {
            return;
        }
        for (Map.Entry<String, Inbox> inbox : facts.inboxes().entrySet()) {
            for (Entry.Delivery delivery : inbox.getValue().deliveries().values()) {
                // One that was never attempted stands for a marker: the relay has its message.
                boolean dead = delivery.state().equals(Inbox.DEAD_LETTER) && delivery.attempt() > 0;
                if (dead && !inbox.getValue().hasDeadLetter(delivery.id())) {
                    findings.add(
                            Invariant.EFFECT_MISSING,
                            "a delivery is dead and its dead letter is on no topic of handler " + inbox.getKey(),
                            delivery);
                }
            }
        }
    }
}
