package dev.posthaste.chaos.check;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

import dev.posthaste.chaos.history.Entry;

/** Whether the run ended as it was to end, and its history tells all of it and nothing twice. */
final class WholenessCheck implements Check {

    private static final String FIRST_PHASE = "steady";
    private static final String LAST_PHASE = "done";

    /** What may follow; a run may break and mend as often as it likes before it drains. */
    private static final Map<String, Set<String>> NEXT_PHASES = Map.of(
            FIRST_PHASE,
            Set.of("fault", "drain"),
            "fault",
            Set.of("fault", "heal", "drain", FIRST_PHASE, LAST_PHASE),
            "heal",
            Set.of(FIRST_PHASE, "fault", "drain", LAST_PHASE),
            "drain",
            Set.of(LAST_PHASE),
            LAST_PHASE,
            Set.of());

    @Override
    public void judge(Facts facts, Findings findings) {
        judgeEnd(facts, findings);
        judgePhases(facts.history().of(Entry.Phase.class), findings);
        judgeTransactions(facts, findings);
        judgeInboxes(facts, findings);
    }

    private static void judgeEnd(Facts facts, Findings findings) {
        List<Entry.End> ends = facts.history().of(Entry.End.class);
        Entry.End end = facts.end();
        if (end == null || ends.size() > 1) {
            wrong("a history has one end", ends.size() + " ends", findings);
        }
        if (end == null) {
            return;
        }
        findings.looked(Invariant.DRAINED, 1);
        Entry.Expected expected = facts.run().expected();
        if (!Objects.equals(end.haltCause(), expected.haltCause())) {
            wrong(
                    "the run ended otherwise than expected",
                    "expected " + halt(expected.haltCause()) + ", but " + halt(end.haltCause()),
                    findings);
        }
        if (!end.drained() && expected.haltCause() == null) {
            wrong("something was left to do at the end", end, findings);
        }
    }

    private static String halt(@Nullable String cause) {
        return cause == null ? "no halt" : "a halt with " + cause;
    }

    private static void judgePhases(List<Entry.Phase> phases, Findings findings) {
        findings.looked(Invariant.DRAINED, phases.size());
        if (phases.isEmpty() || !phases.get(0).name().equals(FIRST_PHASE)) {
            wrong(
                    "a run begins with the phase " + FIRST_PHASE,
                    phases.isEmpty() ? "no phase" : phases.get(0),
                    findings);
        }
        if (phases.isEmpty() || !phases.get(phases.size() - 1).name().equals(LAST_PHASE)) {
            wrong(
                    "a run ends with the phase " + LAST_PHASE,
                    phases.isEmpty() ? "no phase" : phases.get(phases.size() - 1),
                    findings);
        }
        for (int i = 1; i < phases.size(); i++) {
            Entry.Phase before = phases.get(i - 1);
            Entry.Phase phase = phases.get(i);
            if (!NEXT_PHASES.getOrDefault(before.name(), Set.of()).contains(phase.name())
                    || phase.at().isBefore(before.at())) {
                wrong("a phase cannot follow the one before", phase + " after " + before, findings);
            }
        }
    }

    private static void judgeTransactions(Facts facts, Findings findings) {
        Set<Long> intended = new HashSet<>();
        Set<UUID> staged = new HashSet<>();
        for (Entry.Intent intent : facts.history().of(Entry.Intent.class)) {
            if (!intended.add(intent.tx())) {
                wrong("a transaction has two intents", "transaction " + intent.tx(), findings);
            }
            for (Entry.Staged message : intent.messages()) {
                if (!staged.add(message.id())) {
                    wrong("an id is staged twice", message, findings);
                }
            }
        }
        Set<Long> ended = new HashSet<>();
        for (Entry.Outcome outcome : facts.history().of(Entry.Outcome.class)) {
            if (!intended.contains(outcome.tx())) {
                wrong("a transaction has an outcome and no intent", outcome, findings);
            }
            if (!ended.add(outcome.tx())) {
                wrong("a transaction has two outcomes", outcome, findings);
            }
        }
    }

    private static void judgeInboxes(Facts facts, Findings findings) {
        Set<Object> rows = new HashSet<>();
        for (Entry.Delivery delivery : facts.history().of(Entry.Delivery.class)) {
            if (!rows.add(List.of(delivery.handler(), delivery.id()))) {
                wrong("a message has two rows in an inbox", delivery, findings);
            }
        }
    }

    private static void wrong(String what, Object record, Findings findings) {
        findings.add(Invariant.DRAINED, what, record);
    }
}
