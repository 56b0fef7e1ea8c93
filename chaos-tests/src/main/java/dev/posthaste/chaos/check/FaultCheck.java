package dev.posthaste.chaos.check;

import java.util.List;

import dev.posthaste.chaos.history.Entry;

/** Whether the run was put to the test at all. */
final class FaultCheck implements Check {

    @Override
    public void judge(Facts facts, Findings findings) {
        List<Entry.Fault> faults = facts.history().of(Entry.Fault.class);
        findings.looked(Invariant.FAULT_FIRED, faults.size());
        if (faults.isEmpty()) {
            findings.add(
                    Invariant.FAULT_FIRED,
                    "nothing was broken",
                    "scenario " + facts.run().scenario());
        }
        faults.stream()
                .filter(fault -> !fault.fired())
                .forEach(fault ->
                        findings.add(Invariant.FAULT_FIRED, "a fault was not seen to have taken effect", fault));
    }
}
