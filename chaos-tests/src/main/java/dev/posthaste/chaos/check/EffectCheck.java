package dev.posthaste.chaos.check;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;

import dev.posthaste.chaos.history.Entry;

/** Whether what was published to a transactional handler has its effect once, and nothing else has. */
final class EffectCheck implements Check {

    @Override
    public void judge(Facts facts, Findings findings) {
        Map<String, List<Entry.Effect>> effects =
                facts.history().of(Entry.Effect.class).stream().collect(Collectors.groupingBy(Entry.Effect::handler));
        for (Entry.HandlerKind handler : facts.run().handlers()) {
            if (handler.transactional()) {
                judge(handler.name(), effects.getOrDefault(handler.name(), List.of()), facts, findings);
            }
        }
    }

    private static void judge(String handler, List<Entry.Effect> effects, Facts facts, Findings findings) {
        Map<UUID, Integer> counts = new HashMap<>();
        for (Entry.Effect effect : effects) {
            findings.looked(Invariant.EFFECT_DOUBLED, 1);
            if (counts.merge(effect.id(), 1, Integer::sum) > 1) {
                findings.add(Invariant.EFFECT_DOUBLED, "a message has its effect twice at handler " + handler, effect);
            }
            judge(effect, facts, findings);
        }
        Inbox inbox = facts.inbox(handler);
        facts.topic(handler).messages().forEach((id, record) -> {
            Message message = facts.messages().find(id);
            if (message == null || !message.mayBePublished()) {
                return;
            }
            findings.looked(Invariant.EFFECT_MISSING, 1);
            if (!counts.containsKey(id) && !inbox.isGivenUp(id)) {
                findings.add(
                        Invariant.EFFECT_MISSING,
                        "a published message has no effect at handler " + handler,
                        message + ", delivery " + inbox.state(id));
            }
        });
        inbox.deliveries().forEach((id, delivery) -> {
            boolean published = facts.topic(handler).hasMessage(id);
            if (delivery.state().equals(Inbox.COMPLETED) && !published && !counts.containsKey(id)) {
                findings.add(
                        Invariant.EFFECT_MISSING,
                        "a delivery is completed without an effect and without a record at handler " + handler,
                        delivery);
            }
        });
    }

    private static void judge(Entry.Effect effect, Facts facts, Findings findings) {
        String handler = effect.handler();
        Message message = facts.messages().find(effect.id());
        if (message == null || !message.mayBeSeen()) {
            return; // an aborted read
        }
        if (!facts.topic(handler).hasMessage(effect.id())) {
            findings.add(
                    Invariant.EFFECT_DOUBLED,
                    "a message has an effect and was never published to handler " + handler,
                    effect + ", " + message);
        } else if (!facts.inbox(handler).isCompleted(effect.id())) {
            findings.add(
                    Invariant.EFFECT_DOUBLED,
                    "an effect is there and its delivery is not completed at handler " + handler,
                    effect + ", delivery " + facts.inbox(handler).state(effect.id()));
        }
    }
}
