package dev.posthaste.chaos.report;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.w3c.dom.Element;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class ReportTest {

    private static final Problem LOST =
            new Problem("lost", "2 messages are on no topic", List.of("tx 17 COMMITTED", "id 0af3"), 2);

    /** All that has a meaning in one of the formats, and what XML cannot hold. */
    private static final String HOSTILE = "- a <b>|`c`|\"d\"|'e'|& ]]> ``` *f* _g_ [h](i) \\|\r\nsecond\u0000\uD800";

    private static final Map<String, String> FACTS = Map.of("Command", "./posthaste chaos run --all --full");

    @TempDir
    Path directory;

    @Test
    void theTableHasEveryScenarioWithItsNumbers() throws Exception {
        List<ScenarioReport> reports = List.of(Reports.passed(), Reports.notRun("no Docker"));

        assertThat(markdown(reports))
                .contains("| Scenario | Outcome | Messages committed | Recovery | Duration | Faults fired |\n"
                        + "| --- | --- | ---: | ---: | ---: | ---: |\n"
                        + "| kill-relay | passed | 4,900 | 4.0 s | 58.0 s | **2 of 3** |\n"
                        + "| two-brokers | not run | – | – | – | – |\n")
                .contains("| Scenario | Recovery | Bound |\n| --- | ---: | ---: |\n| kill-relay | 4.0 s | 10.0 s |\n");
        assertThat(tables(html(reports))).anySatisfy(rows -> assertThat(rows)
                .containsExactly(
                        List.of("Scenario", "Outcome", "Messages committed", "Recovery", "Duration", "Faults fired"),
                        List.of("kill-relay", "passed", "4,900", "4.0 s", "58.0 s", "2 of 3"),
                        List.of("two-brokers", "not run", "–", "–", "–", "–")));
    }

    @Test
    void theHeadlineCountsOutcomesMessagesAndFindings() throws Exception {
        List<ScenarioReport> reports = List.of(Reports.passed(), Reports.failed(null, LOST, LOST));

        assertThat(markdown(reports))
                .startsWith("# Chaos report: 1 passed, 1 failed, 0 not run\n")
                .contains("9,800 messages committed, 19,600 records published, 9,800 effects.")
                .contains("| lost | Nothing is lost. | 9,800 | **4** |\n");
        assertThat(Markup.first(parsed(reports).getDocumentElement(), "title").getTextContent())
                .isEqualTo("Chaos report: 1 passed, 1 failed, 0 not run");
    }

    @Test
    void whatDidNotRunNeverCountsAsPassed() throws Exception {
        List<ScenarioReport> reports = List.of(Reports.notRun("no Docker"));

        assertThat(reports.get(0).outcome()).isEqualTo(Outcome.NOT_RUN);
        assertThat(markdown(reports))
                .startsWith("# Chaos report: 0 passed, 0 failed, 1 not run\n")
                .contains("It did not run: no Docker");
        assertThat(html(reports)).doesNotContain("class=\"good\"").contains("It did not run: no Docker");
    }

    @Test
    void aReportWithProblemsCannotClaimThatItDidNotRun() {
        assertThatThrownBy(() -> new ScenarioReport(
                        "kill-relay",
                        "",
                        1,
                        Map.of(),
                        "no Docker",
                        List.of(),
                        List.of(LOST),
                        Totals.NONE,
                        null,
                        Duration.ZERO,
                        "",
                        null,
                        Timeline.EMPTY))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("kill-relay");
    }

    @Test
    void aFailedScenarioShowsItsRecordsAndHowToRepeatIt() throws Exception {
        List<ScenarioReport> reports = List.of(Reports.failed(directory.resolve("kill-relay-42"), LOST));

        assertThat(markdown(reports))
                .contains("## kill-relay: failed")
                .contains("**lost**: 2 messages are on no topic")
                .contains("```text\ntx 17 COMMITTED\nid 0af3\n```")
                .contains("```text\n" + Reports.REPEAT + "\n```")
                .contains("Its history is kept in kill-relay-42.");
        assertThat(html(reports))
                .contains("<pre>tx 17 COMMITTED\nid 0af3</pre>")
                .contains("<pre>" + Reports.REPEAT + "</pre>")
                .contains("Its history is kept in kill-relay-42.");
    }

    @Test
    void aScenarioThatPassedSaysHowToRepeatItAndThatItsHistoryIsGone() throws Exception {
        List<ScenarioReport> reports = List.of(Reports.passed());

        assertThat(markdown(reports))
                .contains("```text\n" + Reports.REPEAT + "\n```")
                .contains("Its history was deleted, as that of every run that passed.");
        assertThat(html(reports)).contains("<pre>" + Reports.REPEAT + "</pre>");
    }

    @Test
    void whatHoldsIsToldApartFromWhatNobodyLookedAt() throws Exception {
        List<ScenarioReport> reports = List.of(Reports.passed());

        assertThat(markdown(reports))
                .contains("| Code | What must hold | Looked at | Violations |\n| --- | --- | ---: | ---: |\n"
                        + "| lost | Nothing is lost. | 4,900 | kept |\n"
                        + "| duplicate | Nothing is twice. | – | not judged |\n");
        assertThat(tables(html(reports)))
                .anySatisfy(rows -> assertThat(rows).contains(List.of("lost", "Nothing is lost.", "4,900", "kept")));
    }

    @Test
    void whatWentWrongWithoutBeingLookedForIsCountedToo() throws Exception {
        Problem thrown = Problem.of("could not be judged", new IllegalStateException("line 7"));

        assertThat(markdown(List.of(Reports.failed(null, thrown))))
                .contains("| could not be judged | – | – | **1** |\n")
                .contains("**could not be judged**: java.lang.IllegalStateException: line 7");
    }

    @Test
    void factsOfTheWholeStandAtTheTop() throws Exception {
        String row = "| Command | ./posthaste chaos run --all --full |\n";

        assertThat(markdown(List.of())).contains(row);
        assertThat(tables(html(List.of()))).anySatisfy(rows -> assertThat(rows)
                .contains(List.of("Command", "./posthaste chaos run --all --full")));
    }

    @Test
    void aReportTakesThePlaceOfTheOneBeforeAndLeavesNothingElse() throws Exception {
        markdown(List.of());

        assertThat(markdown(List.of(Reports.passed()))).startsWith("# Chaos report: 1 passed");
        assertThat(directory).isDirectoryNotContaining("glob:**.new");
    }

    @Test
    void everyFaultStandsWithItsTimeAndItsEvidence() throws Exception {
        assertThat(markdown(List.of(Reports.passed())))
                .contains("| 1 | +20.0 s | SIGKILL to relay-a | yes | exit code 137 |\n"
                        + "| 2 | +20.3 s | link to the database cut | **no** | exit code 137 |\n");
    }

    @Test
    void versionsThatDifferAreNamedWithTheirScenarios() throws Exception {
        ScenarioReport one = Reports.passed();
        ScenarioReport other = new ScenarioReport(
                "failover",
                "",
                1,
                Map.of("Kafka", "3.9.0"),
                null,
                List.of(),
                List.of(),
                Totals.NONE,
                null,
                Duration.ZERO,
                "",
                null,
                Timeline.EMPTY);

        assertThat(markdown(List.of(one, other))).contains("| Kafka | 4.3.1 (kill-relay); 3.9.0 (failover) |");
    }

    @Test
    void recordsAndProblemsAreBoundedAndTheRestIsCounted() throws Exception {
        Problem many = new Problem("lost", "", Collections.nCopies(Report.RECORDS_MAX + 7, "a record"), 57);
        Problem[] problems = Collections.nCopies(Report.PROBLEMS_MAX + 1, many).toArray(Problem[]::new);

        assertThat(markdown(List.of(Reports.failed(null, problems))))
                .contains("a record\n… and 7 more\n```")
                .contains("And 1 more.");
    }

    @Test
    void markdownKeepsWhatLooksLikeMarkupAsText() throws Exception {
        String markdown = markdown(List.of(Reports.hostile(HOSTILE)));

        String inline =
                "- a &lt;b&gt;\\|\\`c\\`\\|\"d\"\\|'e'\\|&amp; \\]\\]&gt; \\`\\`\\` \\*f\\* \\_g\\_ \\[h\\](i) \\\\\\|"
                        + "<br>second\uFFFD\uFFFD";
        assertThat(markdown)
                .contains("| 1 | +0.5 s | " + inline + " | yes | exit code 137 |\n")
                .contains("\n\n\\" + inline + "\n\n")
                .contains("````text\n- a <b>|`c`|");
        String outsideFences = Pattern.compile("````text.*?\n````\n", Pattern.DOTALL)
                .matcher(markdown)
                .replaceAll("");
        assertThat(outsideFences.replace("<br>", "")).doesNotContain("<", "````");
    }

    @Test
    void htmlKeepsWhatLooksLikeMarkupAsText() throws Exception {
        Document page = parsed(List.of(Reports.hostile(HOSTILE)));

        String text = HOSTILE.replace("\r\n", "\n").replace('\u0000', '\uFFFD').replace('\uD800', '\uFFFD');
        assertThat(Markup.all(page, "b")).isEmpty();
        assertThat(Markup.all(page, "pre").stream().map(Element::getTextContent))
                .containsOnly(text);
        assertThat(Markup.first(Markup.withClass(page, "phase").get(0), "title").getTextContent())
                .isEqualTo(text + " from +0.0 s");
        assertThat(tables(html(List.of(Reports.hostile(HOSTILE))))).anySatisfy(rows -> assertThat(rows)
                .contains(List.of("1", "+0.5 s", text.replace("\n", ""), "yes", "exit code 137")));
    }

    @Test
    void thePageNeedsNothingFromElsewhere() throws Exception {
        List<ScenarioReport> reports = List.of(Reports.passed(), Reports.failed(null, LOST), Reports.notRun("x"));

        assertThat(html(reports)).doesNotContain("://", "url(", "@import", "<script", "<link", "<img", "src=");
        assertThat(Markup.all(parsed(reports), "a").stream().map(link -> link.getAttribute("href")))
                .containsExactly("#scenario-1", "#scenario-2", "#scenario-3");
    }

    @Test
    void idsAreUniqueAndLinksLeadToThem() throws Exception {
        Document page = parsed(List.of(Reports.passed(), Reports.failed(null, LOST)));

        List<String> ids = Markup.all(page, "*").stream()
                .map(element -> element.getAttribute("id"))
                .filter(id -> !id.isEmpty())
                .toList();
        assertThat(ids).doesNotHaveDuplicates().contains("scenario-1", "scenario-2", "title-1", "description-2");
    }

    @Test
    void everyScenarioThatRanHasItsPicture() throws Exception {
        assertThat(Markup.all(parsed(List.of(Reports.passed(), Reports.notRun("x"), Reports.passed())), "svg"))
                .hasSize(2);
    }

    @Test
    void aReportOfNoScenarioIsStillAReport() throws Exception {
        assertThat(markdown(List.of())).startsWith("# Chaos report: 0 passed, 0 failed, 0 not run\n");
        assertThat(Markup.all(parsed(List.of()), "h1")).hasSize(1);
    }

    private String markdown(List<ScenarioReport> reports) throws Exception {
        return Files.readString(MarkdownReport.write(directory, FACTS, reports));
    }

    private String html(List<ScenarioReport> reports) throws Exception {
        return Files.readString(HtmlReport.write(directory, FACTS, reports));
    }

    private Document parsed(List<ScenarioReport> reports) throws Exception {
        return Markup.parse(html(reports));
    }

    private static List<List<List<String>>> tables(String html) throws Exception {
        return Markup.all(Markup.parse(html), "table").stream()
                .map(Markup::rows)
                .toList();
    }
}
