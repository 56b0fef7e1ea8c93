package dev.posthaste.chaos.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.jspecify.annotations.Nullable;

import dev.posthaste.chaos.report.MarkdownReport;
import dev.posthaste.relay.cli.UsageException;

/** The directory that report and histories go to. */
final class ReportDirectory {

    private static final String RULE = "; name a directory that can be written";

    private ReportDirectory() {}

    /**
     * Makes it where there is none.
     *
     * @param report what was asked for; null: a new one among the temporary ones
     * @throws UsageException when it cannot be used, or has an earlier run's report, which is not overwritten
     */
    static Path make(@Nullable Path report) {
        if (report == null) {
            return temporary();
        }
        String given = "--report is " + report;
        if (report.toString().isBlank()) {
            throw new UsageException("--report is empty" + RULE);
        }
        for (Path above = report.toAbsolutePath(); above != null; above = above.getParent()) {
            if (Files.exists(above) && !Files.isDirectory(above)) {
                boolean itself = above.equals(report.toAbsolutePath());
                throw new UsageException(
                        given + (itself ? ", but it is a file" : ", but " + above + " is a file") + RULE);
            }
        }
        try {
            Files.createDirectories(report);
        } catch (IOException e) {
            throw new UsageException(given + ", but it cannot be made: " + e + RULE);
        }
        if (!Files.isWritable(report)) {
            throw new UsageException(given + ", but it cannot be written" + RULE);
        }
        if (Files.exists(report.resolve(MarkdownReport.FILE))) {
            throw new UsageException(given + ", which has the report of an earlier run; name another directory");
        }
        return report;
    }

    private static Path temporary() {
        try {
            return Files.createTempDirectory("posthaste-chaos-");
        } catch (IOException e) {
            throw new UsageException("no temporary directory can be made: " + e + "; name a directory with --report");
        }
    }
}
