package dev.posthaste.chaos.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import dev.posthaste.chaos.history.Entry;
import dev.posthaste.chaos.report.ScenarioReport;
import dev.posthaste.chaos.report.Timeline;
import dev.posthaste.chaos.report.Totals;

import static org.assertj.core.api.Assertions.assertThat;

/** What is told while a run goes on. */
class ConsoleTest {

    private static final Instant AT = Instant.parse("2026-03-01T10:04:09Z");

    private final StringWriter out = new StringWriter();
    private final ConsoleProgress console = new ConsoleProgress(new PrintWriter(out), Clock.fixed(AT, ZoneOffset.UTC));

    @Test
    void serversAreSaidToStartBeforeTheFirstPhase() {
        console.begins("broker-killed");
        console.phase("steady");

        assertThat(out.toString().lines())
                .containsExactly("10:04:09 == broker-killed", "10:04:09    starting servers", "10:04:09    steady");
    }

    @Test
    void figuresAreNamedForWhatTheyCountAndUnknownOnesAreNotZero() {
        console.phase("fault");
        console.sample(new Entry.Sample(AT, 812L, null, 1204L, 88L, null, null, List.of("streaming")));

        assertThat(out.toString().lines())
                .last()
                .isEqualTo("10:04:09    fault: first topic up to 812, ? pending, effects up to 1204,"
                        + " 88 calls answered, relays [streaming]");
    }

    @Test
    void aRecoveryThatWasNotMeasuredIsLeftOut() {
        assertThat(RunCommand.line(passed(null))).isEqualTo("PASSED broker-killed: 120 messages, 58 s");
        assertThat(RunCommand.line(passed(740L)))
                .isEqualTo("PASSED broker-killed: 120 messages, recovered in 740 ms, 58 s");
    }

    @Test
    void aScenarioThatDidNotRunSaysWhy() {
        assertThat(RunCommand.line(ScenarioReport.notRun("disk-full", "", 7, "no disk can be mounted", "")))
                .isEqualTo("NOT_RUN disk-full: no disk can be mounted");
    }

    private static ScenarioReport passed(@Nullable Long recoveryMillis) {
        return new ScenarioReport(
                "broker-killed",
                "",
                7,
                Map.of(),
                null,
                List.of(),
                List.of(),
                new Totals(120, 360, 360),
                recoveryMillis,
                Duration.ofSeconds(58),
                "",
                null,
                Timeline.EMPTY);
    }
}
