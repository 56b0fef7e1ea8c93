package dev.posthaste.chaos.report;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * All that is told of a scenario. Its outcome follows from what it holds, so that nothing passes by a flag. Immutable.
 *
 * @param scenario its name
 * @param promise what it holds Posthaste to, as a sentence
 * @param seed that of its schedule
 * @param versions of what it ran on, by name
 * @param notRunBecause why it did not run; null: it ran
 * @param checked what was looked for, found or not; none: it was not judged
 * @param problems what was found
 * @param totals how much it moved
 * @param recoveryMillis from the end of the last fault to the first message after it; null: it did not recover, or
 *     nothing was broken
 * @param took how long it ran
 * @param repeatCommand runs it again with the same seed
 * @param history the directory its history is kept in; null where it is not kept
 * @param timeline what happened when
 */
public record ScenarioReport(
        String scenario,
        String promise,
        long seed,
        Map<String, String> versions,
        @Nullable String notRunBecause,
        List<Checked> checked,
        List<Problem> problems,
        Totals totals,
        @Nullable Long recoveryMillis,
        Duration took,
        String repeatCommand,
        @Nullable Path history,
        Timeline timeline) {

    /**
     * Keeps copies, the versions in their order.
     *
     * @throws IllegalArgumentException when it did not run and yet found something
     */
    public ScenarioReport {
        if (notRunBecause != null && !problems.isEmpty()) {
            throw new IllegalArgumentException(scenario + " did not run (" + notRunBecause + "), but has "
                    + problems.size() + " problems; a run that broke off did run");
        }
        versions = Collections.unmodifiableMap(new LinkedHashMap<>(versions));
        checked = List.copyOf(checked);
        problems = List.copyOf(problems);
    }

    /** Of a scenario that did not run, and why. */
    public static ScenarioReport notRun(
            String scenario, String promise, long seed, String because, String repeatCommand) {
        return new ScenarioReport(
                scenario,
                promise,
                seed,
                Map.of(),
                because,
                List.of(),
                List.of(),
                Totals.NONE,
                null,
                Duration.ZERO,
                repeatCommand,
                null,
                Timeline.EMPTY);
    }

    /** How it ended. */
    public Outcome outcome() {
        if (notRunBecause != null) {
            return Outcome.NOT_RUN;
        }
        return problems.isEmpty() ? Outcome.PASSED : Outcome.FAILED;
    }

    List<FaultLine> faults() {
        return timeline.faults();
    }

    long faultsFired() {
        return faults().stream().filter(FaultLine::fired).count();
    }
}
