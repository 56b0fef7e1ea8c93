package dev.posthaste.chaos.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

import org.jspecify.annotations.Nullable;

import dev.posthaste.chaos.check.Checker;
import dev.posthaste.chaos.check.Finding;
import dev.posthaste.chaos.check.Recovery;
import dev.posthaste.chaos.check.Verdict;
import dev.posthaste.chaos.history.History;
import dev.posthaste.chaos.report.Checked;
import dev.posthaste.chaos.report.Problem;
import dev.posthaste.chaos.report.Timeline;
import dev.posthaste.chaos.report.Totals;

/** What a run comes to by its history. A history that cannot be judged is a problem of that run. Immutable. */
record Judgement(
        List<Problem> problems,
        List<Checked> checked,
        Totals totals,
        @Nullable Long recoveryMillis,
        Timeline timeline) {

    static Judgement of(Path directory) {
        try {
            return of(History.read(directory));
        } catch (IOException | RuntimeException e) {
            Problem problem = Problem.of("could not be judged", e);
            return new Judgement(List.of(problem), List.of(), Totals.NONE, null, Timeline.EMPTY);
        }
    }

    private static Judgement of(History history) {
        Verdict verdict = Checker.check(history);
        return new Judgement(
                verdict.findings().stream().map(Judgement::problem).toList(),
                verdict.looked().entrySet().stream()
                        .map(entry -> new Checked(
                                entry.getKey().name(), entry.getKey().sentence(), entry.getValue()))
                        .toList(),
                Totals.of(history),
                verdict.recovery() instanceof Recovery.Measured measured ? measured.millis() : null,
                Timeline.of(history));
    }

    private static Problem problem(Finding found) {
        return new Problem(
                found.invariant().name(), found.what() + " (" + found.total() + ")", found.records(), found.total());
    }
}
