package dev.posthaste.chaos.check;

import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * What the checker says of a run. Immutable.
 *
 * @param findings what does not hold; none: the run has passed
 * @param looked how many things were looked at, for every invariant
 * @param recovery how long the last fault was felt
 */
public record Verdict(List<Finding> findings, Map<Invariant, Long> looked, Recovery recovery) {

    /** Copies both; the map keeps the order of the invariants. */
    public Verdict {
        findings = List.copyOf(findings);
        looked = Collections.unmodifiableMap(new EnumMap<>(looked));
    }

    /** Whether everything holds. */
    public boolean passed() {
        return findings.isEmpty();
    }
}
