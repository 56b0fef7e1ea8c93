package dev.posthaste.chaos.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

import dev.posthaste.relay.cli.ExitCode;
import dev.posthaste.relay.cli.Posthaste;

import static org.assertj.core.api.Assertions.assertThat;

/** What {@code posthaste chaos} refuses and explains. */
class CommandLineTest {

    private static final String RULE = "name a directory that can be written";

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    private Path directory;

    private int chaos(String... arguments) {
        CommandLine line = Posthaste.commandLine();
        line.setOut(new PrintWriter(out, true)).setErr(new PrintWriter(err, true));
        return line.execute(
                Stream.concat(Stream.of("chaos"), Arrays.stream(arguments)).toArray(String[]::new));
    }

    private void requireRefused(String... arguments) {
        assertThat(chaos(arguments)).as("%s%s", out, err).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).endsWith("Try `posthaste chaos run --help`.\n");
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void aMisspeltNameIsRefusedWithTheOneThatWasMeantAndBeforeAnythingIsMade() {
        Path report = directory.resolve("report");

        requireRefused("run", "brokerkilled", "--all", "--report", report.toString());

        assertThat(err.toString()).contains("there is no scenario brokerkilled; did you mean broker-killed?");
        assertThat(report).doesNotExist();
    }

    @Test
    void aNameThatIsNearNoneIsRefusedWithTheCommandThatListsThem() {
        requireRefused("run", "xyz");

        assertThat(err.toString()).contains("there is no scenario xyz; posthaste chaos list shows those there are");
    }

    @ParameterizedTest
    @CsvSource({
        "broker-killed,--all",
        "broker-killed,--short",
        "broker-killed,--soak",
        "--all,--short",
        "--all,--soak",
        "--short,--soak"
    })
    void twoThatSayWhatIsRunAreRefusedByBothTheirNames(String one, String other) {
        requireRefused(
                "run", one, other, "--report", directory.resolve("report").toString());

        assertThat(err.toString()).contains(one + " and " + other + " are given");
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void nothingThatSaysWhatIsRunIsRefusedWithAllThatCould() {
        requireRefused("run");

        assertThat(err.toString()).contains("--short", "--all", "--soak");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "1441", "ten", "1.5", "99999999999999999999"})
    void minutesAreAWholeNumberWithinBounds(String minutes) {
        requireRefused("run", "--soak", "--minutes=" + minutes);

        assertThat(err.toString()).contains("--minutes is " + minutes + ", but must be a whole number from 1 to 1440");
    }

    @Test
    void theSeedIsAWholeNumber() {
        requireRefused("run", "--all", "--seed", "today");

        assertThat(err.toString()).contains("--seed is today, but must be a whole number from ");
    }

    @Test
    void aReportThatIsAFileIsRefused() throws Exception {
        Path file = Files.createFile(directory.resolve("file"));

        requireRefused("run", "--all", "--report", file.toString());

        assertThat(err.toString()).contains("--report is " + file + ", but it is a file; " + RULE);
    }

    @Test
    void aReportBelowAFileIsRefused() throws Exception {
        Path file = Files.createFile(directory.resolve("file"));
        Path below = file.resolve("deep/report");

        requireRefused("run", "--all", "--report", below.toString());

        assertThat(err.toString()).contains("--report is " + below + ", but " + file + " is a file; " + RULE);
    }

    @Test
    void aReportThatCannotBeMadeIsRefused() {
        requireRefused("run", "--all", "--report", "/proc/report");

        assertThat(err.toString())
                .contains("--report is /proc/report, but it cannot be ")
                .contains("; " + RULE);
    }

    @Test
    void anEmptyReportIsRefused() {
        requireRefused("run", "--all", "--report", "");

        assertThat(err.toString()).contains("--report is empty; " + RULE);
    }

    @Test
    void anEarlierReportIsNotOverwritten() throws Exception {
        Path earlier = Files.writeString(directory.resolve("report.md"), "earlier");

        requireRefused("run", "--all", "--report", directory.toString());

        assertThat(err.toString())
                .contains("--report is " + directory
                        + ", which has the report of an earlier run; name another directory");
        assertThat(earlier).hasContent("earlier");
    }

    @Test
    void theHelpSaysWhatMinutesMeanAndWhatTheyAreByDefault() {
        assertThat(chaos("run", "--help")).isEqualTo(ExitCode.OK);

        assertThat(out.toString().replaceAll("\\s+", " "))
                .contains("With --soak: how long all of it takes; default: 60.")
                .contains("default: 20 seconds, or a minute with --full or --all")
                .contains("for an hour, or as long as --minutes says");
    }

    @Test
    void theListSaysWhatItsColumnsAre() {
        assertThat(chaos("list")).isEqualTo(ExitCode.OK);

        assertThat(out.toString().lines().limit(3))
                .anyMatch(line -> line.contains("--short") && line.contains("--all"))
                .anyMatch(line -> line.matches("SCENARIO +TIER +WHAT GOES WRONG *"));
    }
}
