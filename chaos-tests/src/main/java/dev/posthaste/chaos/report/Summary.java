package dev.posthaste.chaos.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** What all scenarios come to. */
final class Summary {

    private final List<ScenarioReport> reports;

    Summary(List<ScenarioReport> reports) {
        this.reports = reports;
    }

    long count(Outcome outcome) {
        return reports.stream().filter(report -> report.outcome() == outcome).count();
    }

    String headline() {
        return Figures.count(count(Outcome.PASSED)) + " passed, " + Figures.count(count(Outcome.FAILED)) + " failed, "
                + Figures.count(count(Outcome.NOT_RUN)) + " not run";
    }

    String totals() {
        long committed = 0;
        long published = 0;
        long effects = 0;
        for (ScenarioReport report : reports) {
            committed += report.totals().committed();
            published += report.totals().published();
            effects += report.totals().effects();
        }
        return Figures.count(committed, "message") + " committed, " + Figures.count(published, "record")
                + " published, " + Figures.count(effects, "effect") + ".";
    }

    /** What was looked for, and after it what was found without being looked for. */
    List<Judged> judged() {
        Map<String, Judged> judged = new LinkedHashMap<>();
        for (ScenarioReport report : reports) {
            for (Checked checked : report.checked()) {
                judged.merge(checked.title(), Judged.of(checked), Judged::plus);
            }
        }
        for (ScenarioReport report : reports) {
            for (Problem problem : report.problems()) {
                judged.merge(problem.title(), Judged.of(problem), Judged::plus);
            }
        }
        return List.copyOf(judged.values());
    }

    /** Each thing's versions; where scenarios ran on several, which ran on which. */
    Map<String, String> versions() {
        Map<String, Map<String, List<String>>> scenarios = new LinkedHashMap<>();
        for (ScenarioReport report : reports) {
            report.versions().forEach((name, version) -> scenarios
                    .computeIfAbsent(name, key -> new LinkedHashMap<>())
                    .computeIfAbsent(version, key -> new ArrayList<>())
                    .add(report.scenario()));
        }
        Map<String, String> versions = new LinkedHashMap<>();
        scenarios.forEach((name, byVersion) -> versions.put(name, versions(byVersion)));
        return versions;
    }

    private static String versions(Map<String, List<String>> byVersion) {
        if (byVersion.size() == 1) {
            return byVersion.keySet().iterator().next();
        }
        return byVersion.entrySet().stream()
                .map(entry -> entry.getKey() + " (" + String.join(", ", entry.getValue()) + ")")
                .collect(Collectors.joining("; "));
    }
}
