package dev.posthaste.chaos.check;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

import dev.posthaste.chaos.history.Entry;

/** Whether evidence was written under a fence after a higher one was known. */
final class StaleWriteCheck implements Check {

    @Override
    public void judge(Facts facts, Findings findings) {
        List<Entry.Batch> batches = new ArrayList<>(facts.history().of(Entry.Batch.class));
        findings.looked(Invariant.STALE_WRITE, batches.size());
        judgeNumbers(batches, findings);
        judgeTimes(batches, findings);
        Entry.End end = facts.end();
        if (end != null) {
            batches.stream()
                    .filter(batch -> batch.fence() > end.leaseFence())
                    .forEach(batch -> findings.add(
                            Invariant.STALE_WRITE,
                            "a batch has a fence above that of the lease, " + end.leaseFence(),
                            EvidenceCheck.summary(batch)));
        }
    }

    private static void judgeNumbers(List<Entry.Batch> batches, Findings findings) {
        batches.sort(Comparator.comparingLong(Entry.Batch::batch));
        long highest = Long.MIN_VALUE;
        for (Entry.Batch batch : batches) {
            if (batch.fence() < highest) {
                findings.add(
                        Invariant.STALE_WRITE,
                        "a batch has a lower fence than one with a lower number",
                        EvidenceCheck.summary(batch) + ", after fence " + highest);
            }
            highest = Math.max(highest, batch.fence());
        }
    }

    private static void judgeTimes(List<Entry.Batch> batches, Findings findings) {
        batches.sort(Comparator.comparing(Entry.Batch::completedAt));
        long highest = Long.MIN_VALUE;
        for (int from = 0, to; from < batches.size(); from = to) {
            to = endOfInstant(batches, from);
            for (Entry.Batch batch : batches.subList(from, to)) {
                if (batch.fence() < highest) {
                    findings.add(
                            Invariant.STALE_WRITE,
                            "a batch was completed under a lower fence after one of a higher fence",
                            EvidenceCheck.summary(batch) + ", after fence " + highest);
                }
            }
            for (Entry.Batch batch : batches.subList(from, to)) {
                highest = Math.max(highest, batch.fence());
            }
        }
    }

    /** What was completed in the same instant is not after one another. */
    private static int endOfInstant(List<Entry.Batch> batches, int from) {
        int to = from + 1;
        while (to < batches.size()
                && batches.get(to).completedAt().equals(batches.get(from).completedAt())) {
            to++;
        }
        return to;
    }
}
