package dev.posthaste.chaos.report;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import dev.posthaste.chaos.history.History;

/** Scenarios that ended one way or the other. */
final class Reports {

    static final String REPEAT = "./posthaste chaos run kill-relay --seed 42";
    static final List<Checked> CHECKED =
            List.of(new Checked("lost", "Nothing is lost.", 4900), new Checked("duplicate", "Nothing is twice.", 0));

    private Reports() {}

    static ScenarioReport passed() {
        return of(Recording.minute(), List.of(), null);
    }

    static ScenarioReport failed(@Nullable Path history, Problem... problems) {
        return of(Recording.minute(), List.of(problems), history);
    }

    static ScenarioReport notRun(String because) {
        return ScenarioReport.notRun("two-brokers", "Messages survive a broker.", 7, because, "again");
    }

    static ScenarioReport of(History history) {
        return of(history, List.of(), null);
    }

    private static ScenarioReport of(History history, List<Problem> problems, @Nullable Path kept) {
        Timeline timeline = Timeline.of(history);
        Timeline.Recovery recovery = timeline.recovery();
        return new ScenarioReport(
                "kill-relay",
                "A killed relay loses nothing.",
                42,
                Map.of("Kafka", "4.3.1"),
                null,
                CHECKED,
                problems,
                Totals.of(history),
                recovery == null ? null : recovery.tookMillis(),
                Duration.ofSeconds(58),
                REPEAT,
                kept,
                timeline);
    }

    /** A scenario whose every text is that. */
    static ScenarioReport hostile(String text) {
        Timeline timeline = Timeline.of(
                Recording.started().phase(0, text).fault(500, text, true).ended(2000));
        return new ScenarioReport(
                text,
                text,
                1,
                Map.of(text, text),
                null,
                List.of(new Checked(text, text, 1)),
                List.of(new Problem(text, text, List.of(text), 1)),
                Totals.NONE,
                null,
                Duration.ZERO,
                text,
                null,
                timeline);
    }
}
