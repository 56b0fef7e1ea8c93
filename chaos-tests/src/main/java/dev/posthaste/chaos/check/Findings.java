package dev.posthaste.chaos.check;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Collects what the checks find and counts what they look at; bounded, however much is wrong. Not thread-safe. */
final class Findings {

    private final Map<Subject, Shown> found = new LinkedHashMap<>();
    private final Map<Invariant, Long> looked = new EnumMap<>(Invariant.class);

    private record Subject(Invariant invariant, String what) {}

    private static final class Shown {
        private final List<String> records = new ArrayList<>();
        private long total;
    }

    /**
     * Adds a record to the finding with these words.
     *
     * @param what without anything of the one record, so that findings stay few
     * @param record shown as its string
     */
    void add(Invariant invariant, String what, Object record) {
        Shown shown = found.computeIfAbsent(new Subject(invariant, what), subject -> new Shown());
        shown.total++;
        if (shown.records.size() < Finding.RECORDS_MAX) {
            shown.records.add(record.toString());
        }
    }

    /** Takes note that so many things more were looked at. */
    void looked(Invariant invariant, long more) {
        looked.merge(invariant, more, Long::sum);
    }

    /** How many things were looked at for an invariant so far. */
    long looked(Invariant invariant) {
        return looked.getOrDefault(invariant, 0L);
    }

    /** All of it. */
    Verdict verdict(Recovery recovery) {
        List<Finding> findings = new ArrayList<>();
        found.forEach((subject, shown) ->
                findings.add(new Finding(subject.invariant(), subject.what(), shown.records, shown.total)));
        Map<Invariant, Long> counts = new EnumMap<>(Invariant.class);
        for (Invariant invariant : Invariant.values()) {
            counts.put(invariant, looked(invariant));
        }
        return new Verdict(findings, counts, recovery);
    }
}
