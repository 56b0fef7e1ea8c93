package dev.posthaste.chaos.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.posthaste.chaos.check.Invariant;
import dev.posthaste.chaos.history.Entry;
import dev.posthaste.chaos.history.HistoryWriter;
import dev.posthaste.chaos.load.ChaosCatalog;
import dev.posthaste.chaos.report.Checked;
import dev.posthaste.chaos.report.Problem;

import static org.assertj.core.api.Assertions.assertThat;

class JudgementTest {

    private static final Instant AT = Instant.parse("2026-03-01T10:00:00Z");

    @TempDir
    private Path directory;

    private void write(Entry... entries) {
        try (HistoryWriter history = HistoryWriter.open(directory.resolve("run.jsonl"))) {
            history.write(new Entry.Run(
                    "broker-killed",
                    7,
                    AT,
                    Map.of(),
                    ChaosCatalog.HANDLER_KINDS,
                    new Entry.Expected(null, false),
                    new Entry.Bounds(1, 1, 1)));
            Arrays.stream(entries).forEach(history::write);
        }
    }

    @Test
    void aHistoryThatCannotBeReadIsAProblemOfItsRunAndNoException() throws Exception {
        Files.writeString(directory.resolve("run.jsonl"), "{\"entry\":\"phase\"\n{}\n");

        Judgement judgement = Judgement.of(directory);

        assertThat(judgement.problems()).singleElement().satisfies(problem -> {
            assertThat(problem.title()).isEqualTo("could not be judged");
            assertThat(problem.detail()).contains("run.jsonl, line 1");
        });
        assertThat(judgement.checked()).isEmpty();
    }

    @Test
    void aHistoryThatTheCheckerCannotTakeIsAProblemOfItsRunAndNoException() {
        write(new Entry.End(AT, true, null, "no place in the WAL", 1));

        assertThat(Judgement.of(directory).problems().stream().map(Problem::title))
                .containsExactly("could not be judged");
    }

    @Test
    void everyInvariantIsToldWithItsSentenceAndHowMuchWasLookedAt() {
        write(
                new Entry.Fault(AT, "SIGKILL to the broker", true, "it is gone"),
                new Entry.Fault(AT, "SIGKILL to a relay", false, "it lives"));

        Judgement judgement = Judgement.of(directory);

        assertThat(judgement.checked().stream().map(Checked::title))
                .containsExactlyElementsOf(
                        Arrays.stream(Invariant.values()).map(Enum::name).toList());
        assertThat(judgement.checked()).contains(new Checked("FAULT_FIRED", Invariant.FAULT_FIRED.sentence(), 2));
        assertThat(judgement.problems())
                .filteredOn(problem -> problem.title().equals("FAULT_FIRED"))
                .extracting(Problem::total)
                .isEqualTo(List.of(1L));
    }
}
