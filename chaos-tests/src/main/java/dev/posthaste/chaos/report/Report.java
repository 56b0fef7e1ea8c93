package dev.posthaste.chaos.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What a report tells, in its order. Used by one thread, once. */
final class Report {

    /** So many problems of a scenario are written out, and so many records of a problem: the history has the rest. */
    static final int PROBLEMS_MAX = 100;

    static final int RECORDS_MAX = 50;

    private final Map<String, String> facts;
    private final List<ScenarioReport> reports;
    private final Path directory;
    private final Page page;

    private Report(Map<String, String> facts, List<ScenarioReport> reports, Path directory, Page page) {
        this.facts = facts;
        this.reports = reports;
        this.directory = directory;
        this.page = page;
    }

    /**
     * Writes into the directory, which is made where there is none. Whenever this is ended, the file is whole: the new
     * one, or the one before.
     */
    static Path write(Path directory, String file, Map<String, String> facts, List<ScenarioReport> reports, Page page)
            throws IOException {
        new Report(facts, reports, directory, page).tell();
        Files.createDirectories(directory);
        Path written = Files.writeString(directory.resolve(file + ".new"), page.text());
        return Files.move(written, directory.resolve(file), StandardCopyOption.REPLACE_EXISTING);
    }

    private void tell() {
        summary();
        for (int i = 0; i < reports.size(); i++) {
            scenario(i + 1, reports.get(i));
        }
    }

    private void summary() {
        Summary summary = new Summary(reports);
        page.title("Chaos report: " + summary.headline());
        page.paragraph(Text.of(summary.totals()));
        if (!facts.isEmpty()) {
            page.table(Tables.facts(facts));
        }
        List<Judged> judged = summary.judged();
        if (!judged.isEmpty()) {
            page.heading("What must hold");
            page.table(Tables.judged(judged));
        }
        if (!summary.versions().isEmpty()) {
            page.heading("Versions");
            page.table(Tables.versions(summary.versions()));
        }
        page.heading("Scenarios");
        page.table(Tables.scenarios(reports));
        page.paragraph(Text.of("The duration is that of the whole, with starting, collecting and judging."));
        page.heading("Recovery times");
        page.paragraph(Text.of(
                "From the moment when everything was mended (the begin of the heal phase, or the last fault after it) "
                        + "until a message that was committed after it was on every topic."));
        Table recoveries = Tables.recoveries(reports);
        if (recoveries.rows().isEmpty()) {
            page.paragraph(Text.of("There was nothing to recover from.", Tone.MUTED));
        } else {
            page.table(recoveries);
        }
    }

    private void scenario(int number, ScenarioReport report) {
        page.scenario(number, report);
        page.paragraph(Text.of(report.promise()));
        if (report.notRunBecause() != null) {
            page.paragraph(Text.of("It did not run: " + report.notRunBecause(), Tone.MUTED));
            return;
        }
        page.paragraph(Text.of(facts(report)));
        page.timeline(number, report);
        page.subheading("What was broken");
        if (report.faults().isEmpty()) {
            page.paragraph(Text.of("Nothing.", Tone.MUTED));
        } else {
            page.table(Tables.faults(report.faults()));
        }
        page.subheading("What was found");
        problems(report.problems());
        repeat(report);
    }

    private static String facts(ScenarioReport report) {
        Totals totals = report.totals();
        return "Seed " + report.seed() + ": "
                + Figures.count(totals.committed(), "message") + " committed, "
                + Figures.count(totals.published(), "record") + " published, "
                + Figures.count(totals.effects(), "effect") + ".";
    }

    private void problems(List<Problem> problems) {
        if (problems.isEmpty()) {
            page.paragraph(Text.of("Nothing.", Tone.GOOD));
        }
        problems.stream().limit(PROBLEMS_MAX).forEach(problem -> {
            page.paragraph(Text.of(problem.title(), Tone.BAD), Text.of(": " + problem.detail()));
            if (!problem.records().isEmpty()) {
                page.lines(bounded(problem.records()));
            }
        });
        if (problems.size() > PROBLEMS_MAX) {
            page.paragraph(Text.of("And " + Figures.count(problems.size() - PROBLEMS_MAX) + " more.", Tone.BAD));
        }
    }

    private static List<String> bounded(List<String> records) {
        if (records.size() <= RECORDS_MAX) {
            return records;
        }
        List<String> shown = new ArrayList<>(records.subList(0, RECORDS_MAX));
        shown.add("… and " + Figures.count(records.size() - RECORDS_MAX) + " more");
        return shown;
    }

    private void repeat(ScenarioReport report) {
        page.subheading("How to repeat it");
        page.lines(List.of(report.repeatCommand()));
        page.paragraph(Text.of(history(report)));
    }

    private String history(ScenarioReport report) {
        if (report.history() != null) {
            return "Its history is kept in " + place(report.history()) + ".";
        }
        return report.outcome() == Outcome.PASSED
                ? "Its history was deleted, as that of every run that passed."
                : "Its history was not kept.";
    }

    /** Within the report's directory where it lies there, so that it still holds when that is moved. */
    private String place(Path history) {
        Path from = directory.toAbsolutePath().normalize();
        Path to = history.toAbsolutePath().normalize();
        boolean within = to.startsWith(from) && !to.equals(from);
        return within ? from.relativize(to).toString() : history.toString();
    }
}
