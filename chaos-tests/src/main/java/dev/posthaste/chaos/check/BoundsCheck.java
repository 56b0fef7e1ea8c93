package dev.posthaste.chaos.check;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

import dev.posthaste.chaos.history.Entry;

/** Whether memory stayed within its bound all the time, and the slot lets go of the WAL once everything is drained. */
final class BoundsCheck implements Check {

    @Override
    public void judge(Facts facts, Findings findings) {
        Entry.Bounds bounds = facts.run().bounds();
        List<Entry.Sample> samples = facts.history().of(Entry.Sample.class);
        for (Entry.Sample sample : samples) {
            Long heap = sample.relayHeapBytes();
            if (heap == null) {
                continue;
            }
            findings.looked(Invariant.BOUNDS, 1);
            if (heap > bounds.relayHeapBytes()) {
                findings.add(
                        Invariant.BOUNDS,
                        "a relay's heap is above its bound, " + bounds.relayHeapBytes() + " bytes",
                        sample);
            }
        }
        if (findings.looked(Invariant.BOUNDS) == 0) {
            findings.add(Invariant.VACUOUS, "no sample tells a relay's heap", samples.size() + " samples");
        }
        if (!facts.isHaltExpected()) { // a relay that has halted holds the WAL, or has no slot
            judgeWal(samples, facts, findings);
        }
    }

    private static void judgeWal(List<Entry.Sample> samples, Facts facts, Findings findings) {
        long bound = facts.run().bounds().walBytes();
        Optional<Instant> drain = facts.history().of(Entry.Phase.class).stream()
                .filter(phase -> phase.name().equals("drain"))
                .map(Entry.Phase::at)
                .max(Instant::compareTo);
        Optional<Entry.Sample> last = samples.stream()
                .filter(sample -> sample.walBytes() != null)
                .filter(sample -> drain.isPresent() && !sample.at().isBefore(drain.get()))
                .max(Comparator.comparing(Entry.Sample::at));
        if (last.isEmpty()) {
            findings.add(Invariant.VACUOUS, "no sample after the drain tells the WAL", samples.size() + " samples");
            return;
        }
        findings.looked(Invariant.BOUNDS, 1);
        Long wal = last.get().walBytes();
        if (wal != null && wal > bound) {
            findings.add(
                    Invariant.BOUNDS,
                    "the slot holds back more WAL than its bound after the drain, " + bound + " bytes",
                    last.get());
        }
    }
}
