package dev.posthaste.chaos.check;

import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import dev.posthaste.chaos.history.Entry;

/** Whether the slot has been moved past something that is on no topic: it would never be sent again. */
final class SlotCheck implements Check {

    private static final Pattern LSN = Pattern.compile("([0-9A-Fa-f]{1,8})/([0-9A-Fa-f]{1,8})");

    @Override
    public void judge(Facts facts, Findings findings) {
        Entry.End end = facts.end();
        if (end == null || end.confirmedLsn() == null || isMovedOnPurpose(facts)) {
            return;
        }
        long confirmed = bits(end.confirmedLsn());
        for (Message message : facts.messages().all()) {
            if (message.isCommitted() && message.stored() && endedBelow(confirmed, message.outcome())) {
                findings.looked(Invariant.SLOT_PAST_UNPUBLISHED, 1);
                judge(message, facts, findings);
            }
        }
    }

    /** Somebody else moves it, and the relay is to find out. */
    private static boolean isMovedOnPurpose(Facts facts) {
        return "SLOT_BEYOND_ACK".equals(facts.run().expected().haltCause());
    }

    private static boolean endedBelow(long confirmed, Entry.@Nullable Outcome outcome) {
        return outcome != null && outcome.lsn() != null && Long.compareUnsigned(bits(outcome.lsn()), confirmed) < 0;
    }

    private static void judge(Message message, Facts facts, Findings findings) {
        UUID id = message.staged().id();
        for (String handler : facts.topics().keySet()) {
            if (!facts.topic(handler).hasMessage(id) && !facts.isSetAside(id, handler)) {
                findings.add(
                        Invariant.SLOT_PAST_UNPUBLISHED,
                        "the slot is past a message that is not on the topic of handler " + handler,
                        message);
            }
        }
    }

    /** Of its own, since a judge that reads places as the relay does would share its faults. */
    private static long bits(String lsn) {
        Matcher halves = LSN.matcher(lsn);
        if (!halves.matches()) {
            throw new IllegalArgumentException("\"" + lsn + "\" is no place in the WAL; it is written like 0/16B3748");
        }
        return (Long.parseLong(halves.group(1), 16) << 32) | Long.parseLong(halves.group(2), 16);
    }
}
