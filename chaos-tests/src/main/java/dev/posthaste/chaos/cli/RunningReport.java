package dev.posthaste.chaos.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import dev.posthaste.chaos.report.HtmlReport;
import dev.posthaste.chaos.report.MarkdownReport;
import dev.posthaste.chaos.report.Outcome;
import dev.posthaste.chaos.report.ScenarioReport;

/**
 * The report as far as a run has come. It is written anew after every scenario, so that whatever ends the run loses
 * nothing that had ended before. Thread-safe.
 */
final class RunningReport {

    private final Path directory;
    private final Map<String, String> facts;
    private final List<ScenarioReport> ended = new ArrayList<>();
    private boolean interrupted;

    /**
     * Makes one, and writes nothing yet.
     *
     * @param facts of the run as a whole
     */
    RunningReport(Path directory, Map<String, String> facts) {
        this.directory = directory;
        this.facts = facts;
    }

    /** A scenario has ended. One that ends by the interruption of the whole is left out: that proves nothing. */
    synchronized void add(ScenarioReport report) throws IOException {
        if (interrupted) {
            return;
        }
        ended.add(report);
        MarkdownReport.write(directory, facts, ended);
        HtmlReport.write(directory, facts, ended);
    }

    synchronized long count(Outcome outcome) {
        return ended.stream().filter(report -> report.outcome() == outcome).count();
    }

    /** Where the files are, in lines. */
    List<String> places() {
        return List.of(
                "report: " + directory.resolve(MarkdownReport.FILE), "        " + directory.resolve(HtmlReport.FILE));
    }

    /** Takes no more from now on, and says what there is. */
    synchronized List<String> interrupt() {
        interrupted = true;
        List<String> lines = new ArrayList<>();
        lines.add("interrupted; " + ended.size() + (ended.size() == 1 ? " scenario has" : " scenarios have")
                + " ended; what the one under way has left is in " + directory);
        if (!ended.isEmpty()) {
            lines.addAll(places());
        }
        return lines;
    }
}
