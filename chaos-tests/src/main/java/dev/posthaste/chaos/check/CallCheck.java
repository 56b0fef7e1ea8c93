package dev.posthaste.chaos.check;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import dev.posthaste.chaos.history.Entry;

/** Whether a leased handler has made the calls it was to make, under their messages' ids. */
final class CallCheck implements Check {

    @Override
    public void judge(Facts facts, Findings findings) {
        Map<String, List<Entry.Call>> calls =
                facts.history().of(Entry.Call.class).stream().collect(Collectors.groupingBy(Entry.Call::handler));
        for (Entry.HandlerKind handler : facts.run().handlers()) {
            if (!handler.transactional()) {
                judge(handler.name(), calls.getOrDefault(handler.name(), List.of()), facts, findings);
            }
        }
    }

    private static void judge(String handler, List<Entry.Call> calls, Facts facts, Findings findings) {
        Set<UUID> answered = new HashSet<>();
        for (Entry.Call call : calls) {
            findings.looked(Invariant.CALLS, 1);
            UUID id = id(call.idempotencyKey());
            judge(call, id, facts, findings);
            if (id != null && call.answered()) {
                answered.add(id);
            }
        }
        Inbox inbox = facts.inbox(handler);
        facts.topic(handler).messages().forEach((id, record) -> {
            Message message = facts.messages().find(id);
            if (message == null || !message.mayBePublished() || inbox.isGivenUp(id)) {
                return;
            }
            findings.looked(Invariant.EFFECT_MISSING, 1);
            if (!answered.contains(id)) {
                findings.add(
                        Invariant.EFFECT_MISSING,
                        "a published message has no answered call of handler " + handler,
                        message + ", delivery " + inbox.state(id));
            } else if (!inbox.isCompleted(id) && facts.isDrained()) {
                findings.add(
                        Invariant.EFFECT_MISSING,
                        "a call is answered and its delivery never completed at handler " + handler,
                        message + ", delivery " + inbox.state(id));
            }
        });
        inbox.deliveries().forEach((id, delivery) -> {
            boolean published = facts.topic(handler).hasMessage(id);
            if (delivery.state().equals(Inbox.COMPLETED) && !published && !answered.contains(id)) {
                findings.add(
                        Invariant.EFFECT_MISSING,
                        "a delivery is completed without a call and without a record at handler " + handler,
                        delivery);
            }
        });
    }

    private static void judge(Entry.Call call, @Nullable UUID id, Facts facts, Findings findings) {
        Message message = facts.messages().find(id);
        if (id == null || message == null) {
            findings.add(Invariant.CALLS, "a call of handler " + call.handler() + " is under no message's id", call);
        } else if (!message.mayBeSeen()) {
            findings.add(
                    Invariant.ABORTED_READ,
                    "handler " + call.handler() + " has made the call of a message "
                            + message.fate().words(),
                    call + ", " + message);
        } else if (!facts.topic(call.handler()).hasMessage(id)) {
            findings.add(
                    Invariant.CALLS,
                    "a call is under the id of a message that was never published to handler " + call.handler(),
                    call + ", " + message);
        }
    }

    /** Only the canonical form is the message's id: to a provider another one is another key. */
    private static @Nullable UUID id(String idempotencyKey) {
        try {
            UUID id = UUID.fromString(idempotencyKey);
            return id.toString().equals(idempotencyKey) ? id : null;
        } catch (IllegalArgumentException e) {
            return null;
        }
    }
}
