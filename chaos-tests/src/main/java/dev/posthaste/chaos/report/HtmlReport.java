package dev.posthaste.chaos.report;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** The report as one page that needs nothing else, with a picture per scenario. */
public final class HtmlReport {

    /** The file's name. */
    public static final String FILE = "report.html";

    private HtmlReport() {}

    /**
     * Writes {@value #FILE} into a directory, which is made where there is none.
     *
     * @param facts of all of it, by name
     * @return the file
     * @throws IOException when it cannot be written
     */
    public static Path write(Path directory, Map<String, String> facts, List<ScenarioReport> reports)
            throws IOException {
        return Report.write(directory, FILE, facts, reports, new HtmlPage());
    }
}
