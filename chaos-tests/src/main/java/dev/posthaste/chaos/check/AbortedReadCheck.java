package dev.posthaste.chaos.check;

import java.util.UUID;

import org.jspecify.annotations.Nullable;

import dev.posthaste.chaos.history.Entry;

/** Whether anything was seen anywhere that was not committed. */
final class AbortedReadCheck implements Check {

    @Override
    public void judge(Facts facts, Findings findings) {
        for (Topic topic : facts.topics().values()) {
            for (Entry.Published record : topic.records()) {
                judge(record, facts, findings);
            }
        }
        for (Entry.Stored row : facts.history().of(Entry.Stored.class)) {
            look("the database has", row.id(), row, facts, findings);
        }
        for (Entry.Effect effect : facts.history().of(Entry.Effect.class)) {
            look("handler " + effect.handler() + " has the effect of", effect.id(), effect, facts, findings);
        }
        for (Entry.DeadLetter letter : facts.history().of(Entry.DeadLetter.class)) {
            look("handler " + letter.handler() + " has the dead letter of", letter.id(), letter, facts, findings);
        }
        for (Entry.Quarantined row : facts.history().of(Entry.Quarantined.class)) {
            look("the relay has set aside", row.id(), row, facts, findings);
        }
    }

    private static void judge(Entry.Published record, Facts facts, Findings findings) {
        String where = record.marker() ? "a topic has the marker of" : "a topic has";
        look(where, record.id(), record, facts, findings);
        Message message = facts.messages().find(record.id());
        if (message != null && message.mayBeSeen() && !message.mayBePublished() && !record.marker()) {
            findings.add(Invariant.ABORTED_READ, "a topic has a message that is refused", record);
        }
    }

    private static void look(String where, @Nullable UUID id, Object record, Facts facts, Findings findings) {
        findings.looked(Invariant.ABORTED_READ, 1);
        Message message = facts.messages().find(id);
        if (message == null) {
            findings.add(Invariant.ABORTED_READ, where + " a message that nobody staged", record);
        } else if (!message.mayBeSeen()) {
            findings.add(
                    Invariant.ABORTED_READ,
                    where + " a message " + message.fate().words(),
                    record + ", " + message);
        }
    }
}
