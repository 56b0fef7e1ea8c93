package dev.posthaste.chaos.report;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** The report as one page that needs nothing else, with a picture per scenario. */
public final class HtmlReport {

    private HtmlReport() {}

    /**
     * Writes {@code report.html} into a directory, which is made where there is none.
     *
     * @return the file
     * @throws IOException when it cannot be written
     */
    public static Path write(Path directory, List<ScenarioReport> reports) throws IOException {
        return Report.write(directory, "report.html", reports, new HtmlPage());
    }
}
