package dev.posthaste.examples.docs;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** docs/provisions.md has every provision, and what it names as keeping one exists. */
class ProvisionsPageTest {

    private static final String PAGE = "docs/provisions.md";
    private static final Pattern NUMBERED = Pattern.compile("S[123] \\d+");
    private static final Pattern NAMED = Pattern.compile("`\\w+`");
    private static final Pattern OPEN = Pattern.compile("\\bopen\\b");

    private static final List<String> ASKED_FOR_BY_NAME = List.of(
            "excludedReactionRunsAfterCommitNeverAfterRollbackAndLeavesNoRow",
            "noTransactionIsOpenWhileALeasedHandlerCalls",
            "noticeRetriesWhileStatisticsStaysComplete",
            "outageSpendsNoAttempt",
            "unreadyHostPollsNoStore",
            "replayWithoutActorOrReasonIsRefused",
            "stagingAVersionAReaderLacksIsRefused",
            "commandRunsInAFreshScope",
            "debeziumDeliversOnlyWhatSharesTheBusinessCommit",
            "twoWorkersLeaseDisjointRows",
            "ackFailedAfterAcceptIsLoggedAndSkippedOnRedelivery",
            "drainCompletesTheTerminalWrite",
            "businessKeyOnAnotherDayHasOneEffect",
            "writersDuringRepairLoseAndDoubleNothing",
            "deadLetterOutlivesRetention",
            "handlerThatKillsItsProcessReachesTheBound");

    @Test
    void everyProvisionHasItsRow() throws IOException {
        List<String> expected = new ArrayList<>(TestNames.numbered("S1", 56));
        expected.addAll(TestNames.numbered("S2", 6));
        expected.addAll(TestNames.numbered("S3", 16));

        assertThat(Repository.rows(PAGE, NUMBERED))
                .extracting(row -> row.get(0))
                .containsExactlyElementsOf(expected);
        assertThat(Repository.rows(PAGE, NAMED))
                .extracting(row -> row.get(0).replace("`", ""))
                .containsExactlyElementsOf(ASKED_FOR_BY_NAME);
    }

    @Test
    void everyRowNamesWhatKeepsItOrIsOpen() throws IOException {
        assertThat(rows()).allSatisfy(row -> {
            String keptBy = row.get(2);
            boolean kept = !Repository.quoted(keptBy).isEmpty()
                    || !Repository.links(keptBy).isEmpty()
                    || OPEN.matcher(keptBy).find();
            assertThat(kept).as(row.get(0)).isTrue();
        });
    }

    @Test
    void everyTestNamedExists() throws IOException {
        Set<String> tests = TestNames.all();
        for (List<String> row : rows()) {
            assertThat(without(tests, Repository.quoted(row.get(2))))
                    .as(row.get(0) + " names tests that do not exist")
                    .isEmpty();
        }
    }

    @Test
    void everyPageNamedExists() throws IOException {
        assertThat(rows()).allSatisfy(row -> assertThat(Repository.links(row.get(2)))
                .allSatisfy(page ->
                        assertThat(Repository.path("docs").resolve(page)).exists()));
    }

    @Test
    void aTestAskedForByNameThatExistsIsNotCalledOpen() throws IOException {
        Set<String> tests = TestNames.all();
        for (List<String> row : Repository.rows(PAGE, NAMED)) {
            String suffix = "." + row.get(0).replace("`", "");
            assertThat(row.get(2).startsWith("open"))
                    .as(row.get(0))
                    .isEqualTo(tests.stream().noneMatch(test -> test.endsWith(suffix)));
        }
    }

    @Test
    void everyTestNamedAmongThePromisesExists() throws IOException {
        List<String> named = Repository.quoted(Repository.read("docs/PROMISES.md")).stream()
                .filter(name -> name.matches("\\w+(Test|Contract)\\.\\w+"))
                .toList();

        assertThat(named).hasSizeGreaterThan(30);
        assertThat(without(TestNames.all(), named))
                .as("tests that do not exist")
                .isEmpty();
    }

    /** Short, where a test of subsets would list every test there is. */
    private static List<String> without(Set<String> tests, List<String> named) {
        return named.stream().filter(name -> !tests.contains(name)).toList();
    }

    private static List<List<String>> rows() throws IOException {
        List<List<String>> rows = new ArrayList<>(Repository.rows(PAGE, NUMBERED));
        rows.addAll(Repository.rows(PAGE, NAMED));
        return rows;
    }
}
