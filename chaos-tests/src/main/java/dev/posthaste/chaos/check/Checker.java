package dev.posthaste.chaos.check;

import java.util.List;

import dev.posthaste.chaos.history.Entry;
import dev.posthaste.chaos.history.History;

/**
 * Judges a history. Pure: the same history has the same verdict, anywhere and at any time. What one invariant condemns
 * is left alone by the others as far as possible, so that one fault is not told ten times.
 */
public final class Checker {

    /** The last one asks what the others looked at. */
    private static final List<Check> CHECKS = List.of(
            new WholenessCheck(),
            new FaultCheck(),
            new LossCheck(),
            new AbortedReadCheck(),
            new DuplicateCheck(),
            new BytesCheck(),
            new OrderCheck(),
            new EffectCheck(),
            new CallCheck(),
            new DeadLetterCheck(),
            new EvidenceCheck(),
            new StaleWriteCheck(),
            new SlotCheck(),
            new RecoveryCheck(),
            new BoundsCheck(),
            new VacuityCheck());

    private Checker() {}

    /**
     * Judges a history. One that is not whole is judged as far as it goes, and never passes.
     *
     * @throws IllegalArgumentException if a place in the WAL is not written like 0/16B3748
     */
    public static Verdict check(History history) {
        Findings findings = new Findings();
        List<Entry.Run> runs = history.of(Entry.Run.class);
        if (runs.size() != 1) {
            findings.add(Invariant.DRAINED, "a history has one entry that says what was run", runs.size() + " entries");
            return findings.verdict(new Recovery.NotApplicable("nobody knows what was run"));
        }
        Facts facts = Facts.of(history, runs.get(0));
        for (Check check : CHECKS) {
            check.judge(facts, findings);
        }
        return findings.verdict(RecoveryCheck.recovery(facts));
    }
}
