package dev.posthaste.examples.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The table at the end. */
final class DemoReport {

    private DemoReport() {}

    static List<String> lines(Outcome outcome, List<RelayKiller.Kill> kills) {
        List<String> lines = new ArrayList<>();
        lines.add("");
        lines.add(String.format(
                Locale.ROOT, "committed   %8d messages with %d loans", outcome.committed(), outcome.loans()));
        lines.add(String.format(
                Locale.ROOT,
                "rolled back %8d messages, of which seen anywhere: %d",
                outcome.rolledBack(),
                outcome.rolledBackSeen()));
        lines.add(String.format(Locale.ROOT, "unproved    %8d messages without evidence", outcome.unproved()));
        for (int i = 0; i < kills.size(); i++) {
            lines.add(String.format(
                    Locale.ROOT,
                    "kill %d      %8d messages were committed and on no topic when the relay died",
                    i + 1,
                    kills.get(i).unpublished()));
        }
        lines.add("");
        lines.add(String.format(
                Locale.ROOT,
                "%-12s %10s %10s %12s %10s %14s",
                "handler",
                "on topic",
                "effects",
                "duplicates",
                "missing",
                "out of order"));
        for (Outcome.HandlerOutcome handler : outcome.handlers()) {
            lines.add(String.format(
                    Locale.ROOT,
                    "%-12s %10d %10d %12d %10d %14d",
                    handler.handler(),
                    handler.onTopic(),
                    handler.effects(),
                    handler.duplicatesOnTopic(),
                    handler.missing(),
                    handler.outOfOrder()));
        }
        lines.add("");
        lines.add(
                outcome.isRight()
                        ? "Every committed message arrived once, and nothing else did."
                        : "This is not right. The logs of the processes are kept.");
        return lines;
    }
}
