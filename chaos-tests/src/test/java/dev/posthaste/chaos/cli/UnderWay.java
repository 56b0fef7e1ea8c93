package dev.posthaste.chaos.cli;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A process in which a scenario has ended and another one does not, for a minute. */
final class UnderWay {

    static final String READY = "under way";

    private UnderWay() {}

    public static void main(String[] arguments) throws Exception {
        RunningReport report = new RunningReport(Path.of(arguments[0]), Map.of());
        PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
        try (Interruption unused = Interruption.of(report, out)) {
            report.add(RunningReportTest.passed("one"));
            out.println(READY);
            boolean ended = new CountDownLatch(1).await(1, TimeUnit.MINUTES);
            out.println("ended by itself: " + !ended);
        }
    }
}
