package dev.posthaste.chaos.report;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** A timeline for who cannot see its picture. */
final class Words {

    private Words() {}

    static String timeline(ScenarioReport report) {
        Timeline timeline = report.timeline();
        if (timeline.isEmpty()) {
            return "The history is empty: there is nothing to draw.";
        }
        List<String> sentences = new ArrayList<>();
        sentences.add("From the start to the end of the drain it took " + Figures.duration(timeline.durationMillis())
                + phases(timeline) + ".");
        if (timeline.hasMessages()) {
            sentences.add("Per second, up to " + peak(timeline, Series.COMMITTED) + " messages were committed, "
                    + peak(timeline, Series.PUBLISHED) + " published" + of(timeline) + " and "
                    + peak(timeline, Series.EFFECTS) + " took effect; up to "
                    + Figures.count(timeline.backlogMax()) + " were pending.");
        } else {
            sentences.add("No message was committed or published.");
        }
        if (!timeline.faults().isEmpty()) {
            sentences.add(report.faultsFired() + " of " + timeline.faults().size() + " faults took effect.");
        }
        if (timeline.recovery() != null) {
            sentences.add(recovery(report, timeline.recovery()) + ".");
        }
        return String.join(" ", sentences);
    }

    /** How it recovered, with its bound. */
    static String recovery(ScenarioReport report, Timeline.Recovery recovery) {
        Long took = report.recoveryMillis();
        String words = took == null ? "Not recovered" : "Recovered in " + Figures.duration(took);
        Long bound = recovery.boundMillis();
        return bound == null ? words : words + " (bound " + Figures.duration(bound) + ")";
    }

    private static String of(Timeline timeline) {
        return timeline.handler().isEmpty() ? "" : " to " + timeline.handler();
    }

    private static String peak(Timeline timeline, Series series) {
        return Figures.count(Math.round(series.peak(timeline)));
    }

    private static String phases(Timeline timeline) {
        return timeline.phases().isEmpty()
                ? ""
                : timeline.phases().stream()
                        .map(phase -> phase.name() + " from " + Figures.offset(phase.fromMillis()))
                        .collect(Collectors.joining(", ", ": ", ""));
    }
}
