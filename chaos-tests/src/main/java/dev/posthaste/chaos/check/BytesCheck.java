package dev.posthaste.chaos.check;

import java.util.UUID;

import dev.posthaste.chaos.history.Entry;

/** Whether what arrived is what was staged. */
final class BytesCheck implements Check {

    @Override
    public void judge(Facts facts, Findings findings) {
        for (Topic topic : facts.topics().values()) {
            for (Entry.Published record : topic.records()) {
                judge(record, facts, findings);
            }
        }
        for (Entry.DeadLetter letter : facts.history().of(Entry.DeadLetter.class)) {
            judge(letter, facts, findings);
        }
        for (Entry.Effect effect : facts.history().of(Entry.Effect.class)) {
            judge(effect, facts, findings);
        }
    }

    private static void judge(Entry.Published record, Facts facts, Findings findings) {
        Message message = facts.messages().find(record.id());
        if (message == null || record.marker()) {
            return;
        }
        findings.looked(Invariant.BYTES, 1);
        if (!message.staged().sha256().equals(record.sha256())) {
            findings.add(Invariant.BYTES, "a record has other bytes than its message", record + ", " + message);
        }
        if (!message.staged().key().equals(record.key())) {
            findings.add(Invariant.BYTES, "a record has another key than its message", record + ", " + message);
        }
    }

    private static void judge(Entry.DeadLetter letter, Facts facts, Findings findings) {
        UUID id = letter.id();
        Message message = facts.messages().find(id);
        if (id == null || message == null || isOfMarker(id, letter.handler(), facts)) {
            return;
        }
        findings.looked(Invariant.BYTES, 1);
        if (!message.staged().sha256().equals(letter.sha256())) {
            findings.add(Invariant.BYTES, "a dead letter has other bytes than its message", letter + ", " + message);
        }
    }

    /** A handler keeps a marker as it keeps a dead letter, and a marker has no payload. */
    private static boolean isOfMarker(UUID id, String handler, Facts facts) {
        Topic topic = facts.topics().get(handler);
        return topic != null && topic.hasMarker(id) && !topic.hasMessage(id);
    }

    private static void judge(Entry.Effect effect, Facts facts, Findings findings) {
        Message message = facts.messages().find(effect.id());
        if (message == null) {
            return;
        }
        findings.looked(Invariant.BYTES, 1);
        if (!message.staged().key().equals(effect.key()) || message.staged().number() != effect.number()) {
            findings.add(
                    Invariant.BYTES, "an effect has another key or number than its message", effect + ", " + message);
        }
    }
}
