package dev.posthaste.benchmarks;

import java.io.PrintWriter;
import java.io.StringWriter;

import org.junit.jupiter.api.Test;

import dev.posthaste.testkit.ReportedCase;

import static org.assertj.core.api.Assertions.assertThat;

/** Each benchmark runs in its smallest size and prints a ratio; what the ratio is, no test says. */
class BenchmarksTest {

    private static String run(String... arguments) {
        StringWriter text = new StringWriter();
        int exit = Benchmarks.commandLine()
                .setOut(new PrintWriter(text))
                .setErr(new PrintWriter(text))
                .execute(arguments);
        System.out.println(text);
        assertThat(exit).as(text.toString()).isZero();
        return text.toString();
    }

    @Test
    @ReportedCase(21)
    void latencyAtLowRatesIsMeasuredBesideThatAtAHighOne() {
        assertThat(run("latency", "--rates", "1,10,100", "--seconds", "2"))
                .contains("ratio to 100/s")
                .containsPattern("1/s +2 +\\d+\\.\\d ms")
                .containsPattern("100/s +200 .* 1\\.00, 1\\.00");
    }

    @Test
    void drainIsMeasuredBesideRawDecoding() {
        assertThat(run("drain", "--messages", "6000"))
                .containsPattern("relay, exactly once to Kafka .* ratio \\d\\.\\d\\d");
    }

    @Test
    void sizesOfNothingAreRefused() {
        StringWriter text = new StringWriter();
        int exit = Benchmarks.commandLine().setErr(new PrintWriter(text)).execute("drain", "--messages", "3");
        assertThat(exit).isNotZero();
        assertThat(text.toString()).contains("--messages is 3");
    }
}
